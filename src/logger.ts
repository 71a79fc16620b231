type Fields = Readonly<Record<string, unknown>>;
type Level = "debug" | "info" | "warn" | "error";

/** Writes log messages to the host. Fields may hold anything; they are made JSON, and secrets are taken out. */
export type Logger = Readonly<Record<Level, (message: string, fields?: Fields) => void>>;

/** A logger that hands on every message with its level. */
export function loggerTo(write: (level: Level, message: string, fields?: Fields) => void): Logger {
  const at =
    (level: Level): Logger[Level] =>
    (message, fields) => {
      write(level, message, fields);
    };
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

/** Writes nothing. */
export const silent = loggerTo(() => undefined);

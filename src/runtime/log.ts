import type { Logger as WinstonLogger } from "winston";
import { type Logger, loggerTo } from "../logger.ts";
import { type JsonObject, LOG_LEVELS, type LogLevel, type LogMessage } from "./protocol.ts";
import type { Redactor } from "./redaction.ts";
import { mapTexts, printable, toJson } from "./printable.ts";
import type { MessageWriter } from "./writer.ts";

export interface LoggerOptions {
  writer: MessageWriter;
  redactor: Redactor;
  /** Messages below this level are dropped. */
  level: LogLevel;
  /** Stands in every message's fields. */
  runId: string;
}

/**
 * A logger whose messages go to the host in their place among the other messages, on one line and without secrets.
 * winston is loaded by the first message: a run that has nothing to say starts without it.
 */
export function createLogger({ writer, redactor, level: threshold, runId }: LoggerOptions): Logger {
  let winston: Promise<WinstonLogger> | undefined;
  return loggerTo((level, message, fields) => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(threshold)) return;
    // Copied now: who logs may change the fields before winston is loaded.
    const entry = { level, message, fields: toJson({ run: runId, ...fields }) };
    winston ??= openWinston(threshold, (text) => printable(redactor.text(text)));
    const written = winston.then(
      (logger) => new Promise<LogMessage>((place) => void logger.log({ ...entry, [PLACE]: place })),
    );
    // If the host is gone, nobody needs the message.
    writer.write(written).catch(() => undefined);
  });
}

/** Puts a message where it belongs in the output, among alerts and progress. */
const PLACE = Symbol("place");

interface LogEntry extends Omit<LogMessage, "type"> {
  [PLACE]: (message: LogMessage) => void;
}

/** @param clean - takes secrets out of a text, and makes it one line */
async function openWinston(level: LogLevel, clean: (text: string) => string): Promise<WinstonLogger> {
  const [{ default: winston }, { default: Transport }] = await Promise.all([
    import("winston"),
    import("winston-transport"),
  ]);
  const cleaned = winston.format((info) => {
    info.message = clean(String(info.message));
    info["fields"] = mapTexts(info["fields"] as JsonObject, clean);
    return info;
  });
  const toHost = new Transport({
    log({ [PLACE]: place, level, message, fields }: LogEntry, next) {
      place({ type: "log", level, message, fields });
      next();
    },
  });
  return winston.createLogger({ level, format: cleaned(), transports: [toHost] });
}

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
  const clean = (text: string) => printable(redactor.text(text));
  let sink: Promise<LogSink> | undefined;
  return loggerTo((level, message, fields) => {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(threshold)) return;
    // Copied now: who logs may change the fields before winston is loaded.
    const entry = { level, message, fields: toJson({ run: runId, ...fields }) as JsonObject };
    // A file of winston's that is missing must not cost the messages that would say what happened.
    sink ??= openWinston(threshold, clean).catch(() => (plain) => Promise.resolve(messageFrom(plain, clean)));
    const written = sink.then((send) => send(entry));
    // If the host is gone, nobody needs the message.
    writer.write(written).catch(() => undefined);
  });
}

type LogEntry = Omit<LogMessage, "type">;
type LogSink = (entry: LogEntry) => Promise<LogMessage>;

/** @param clean - takes secrets out of a text, and makes it one line */
function messageFrom({ level, message, fields }: LogEntry, clean: (text: string) => string): LogMessage {
  return { type: "log", level, message: clean(message), fields: mapTexts(fields, clean) as JsonObject };
}

/** Puts a message where it belongs in the output, among alerts and progress. */
const PLACE = Symbol("place");

async function openWinston(level: LogLevel, clean: (text: string) => string): Promise<LogSink> {
  const [{ default: winston }, { default: Transport }] = await Promise.all([
    import("winston"),
    import("winston-transport"),
  ]);
  const cleaned = winston.format((info) => Object.assign(info, messageFrom(info as unknown as LogEntry, clean)));
  const toHost = new Transport({
    log(
      { [PLACE]: place, type, level, message, fields }: LogMessage & { [PLACE]: (message: LogMessage) => void },
      next,
    ) {
      place({ type, level, message, fields });
      next();
    },
  });
  const logger = winston.createLogger({ level, format: cleaned(), transports: [toHost] });
  return (entry) => new Promise((place) => void logger.log({ ...entry, [PLACE]: place }));
}

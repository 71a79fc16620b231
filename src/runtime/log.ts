import { Writable } from "node:stream";
import type { Logger as WinstonLogger } from "winston";
import type { Logger } from "../logger.ts";
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
  const clean = (text: string): string => printable(redactor.text(text));

  function log(level: LogLevel, text: string, fields: Readonly<Record<string, unknown>> = {}): void {
    if (LOG_LEVELS.indexOf(level) < LOG_LEVELS.indexOf(threshold)) return;
    const entry = {
      level,
      message: clean(text),
      fields: mapTexts(toJson({ run: runId, ...fields }), clean) as JsonObject,
    };
    winston ??= loadWinston(threshold);
    // Keeps its place in the output until winston returns the message. If the host is gone, nobody needs it.
    writer.write(winston.then((logger) => pass(logger, entry))).catch(() => undefined);
  }

  return {
    debug: (text, fields) => {
      log("debug", text, fields);
    },
    info: (text, fields) => {
      log("info", text, fields);
    },
    warn: (text, fields) => {
      log("warn", text, fields);
    },
    error: (text, fields) => {
      log("error", text, fields);
    },
  };
}

/** Delivers the message once winston has let it through. */
const DELIVER = Symbol("deliver");
type LogEntry = Omit<LogMessage, "type">;

function pass(logger: WinstonLogger, entry: LogEntry): Promise<LogMessage> {
  return new Promise((resolve) => {
    logger.log({ ...entry, [DELIVER]: resolve });
  });
}

async function loadWinston(level: LogLevel): Promise<WinstonLogger> {
  const { default: winston } = await import("winston");
  const logger = winston.createLogger({ level });
  const messages = new Writable({
    objectMode: true,
    write(info: LogEntry & { [DELIVER]: (message: LogMessage) => void }, _encoding, next) {
      info[DELIVER]({ type: "log", level: info.level, message: info.message, fields: info.fields });
      next();
    },
  });
  logger.pipe(messages);
  return logger;
}

import { createWriteStream } from "node:fs";
import { Transform } from "node:stream";
import { finished } from "node:stream/promises";
import winston from "winston";
import type { Logger } from "../../src/logger.ts";
import { printable } from "../../src/runtime/printable.ts";

export interface HostLog extends Logger {
  /** Resolves when everything is in the file. */
  close(): Promise<void>;
}

interface LogEntry {
  timestamp: string;
  level: string;
  message: string;
  fields?: Readonly<Record<string, unknown>>;
}

/** Plain lines in a file: time, level, message, fields as JSON. Control characters are escaped, so that no text forges a line. */
export function openLog(path: string): HostLog {
  const logger = winston.createLogger({ level: "debug", format: winston.format.timestamp() });
  const lines = new Transform({
    writableObjectMode: true,
    transform(entry: LogEntry, _encoding, next) {
      next(null, `${lineOf(entry)}\n`);
    },
  });
  const file = logger.pipe(lines).pipe(createWriteStream(path, { flags: "a", mode: 0o600 }));
  const write =
    (level: string): Logger["info"] =>
    (message, fields) => {
      logger.log({ level, message, fields });
    };
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    async close() {
      logger.end();
      await finished(file);
    },
  };
}

function lineOf({ timestamp, level, message, fields }: LogEntry): string {
  const rest = fields === undefined ? "" : ` ${JSON.stringify(fields)}`;
  return printable(`${timestamp} ${level.padEnd(5)} ${message}${rest}`);
}

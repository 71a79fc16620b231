import { finished } from "node:stream/promises";
import winston from "winston";
import { type Logger, loggerTo } from "../../src/logger.ts";
import { printable } from "../../src/runtime/printable.ts";

export interface HostLog extends Logger {
  /** Resolves when everything is in the file. */
  close(): Promise<void>;
}

/** Plain lines: time, level, message, fields as JSON. Control characters are escaped, so that no text forges a line. */
const line = winston.format.printf(({ timestamp, level, message, fields }) => {
  const rest = fields === undefined ? "" : ` ${JSON.stringify(fields)}`;
  return printable(`${String(timestamp)} ${level.padEnd(5)} ${String(message)}${rest}`);
});

/** Writes to the end of a file that nobody else may read. */
export function openLog(filename: string): HostLog {
  const file = new winston.transports.File({ filename, options: { flags: "a", mode: 0o600 } });
  const format = winston.format.combine(winston.format.timestamp(), line);
  const logger = winston.createLogger({ level: "debug", format, transports: [file] });
  return {
    ...loggerTo((level, message, fields) => void logger.log({ level, message, fields })),
    async close() {
      logger.end();
      await finished(file);
    },
  };
}

import { type Logger, silent } from "../../logger.ts";
import { oneLine } from "../../text.ts";
import type { ConnectionOptions } from "../command.ts";
import type { Output } from "./output.ts";

/** Without --verbose nothing is logged: errors reach the program as errors. */
export function loggerFor({ verbose }: Pick<ConnectionOptions, "verbose">, output: Output): Logger {
  return verbose === true ? logTo(output) : silent;
}

function logTo(output: Output): Logger {
  const at =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      const rest = Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : "";
      output.note(oneLine(`${level}: ${message}${rest}`, 2_000));
    };
  return { debug: at("debug"), info: at("info"), warn: at("warning"), error: at("error") };
}

import { Deadline } from "../deadline.ts";
import type { Logger } from "../logger.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { connect } from "../service/client.ts";
import { secretOf } from "../service/credentials.ts";
import { printable } from "../service/errors/printable.ts";
import type { Cli, ServiceOptions } from "./command.ts";
import { readAccess } from "./credentials.ts";
import type { Output } from "./output.ts";

/**
 * Lends the service that the options name, until Ctrl-C, the time limit or the end of the work.
 *
 * @param timeLimit - seconds; default: none
 * @throws UsageError, CredentialsError or ServiceError when the options cannot be used; no request is sent
 */
export async function withService<T>(
  cli: Cli,
  options: ServiceOptions,
  use: (service: AttackPathService, deadline: Deadline) => Promise<T>,
  timeLimit?: number,
): Promise<T> {
  const { clock, random, stop, output } = cli;
  const { server, credentials } = await readAccess(options, cli);
  output.protect(secretOf(credentials).reveal());
  const deadline = new Deadline({
    clock,
    at: timeLimit === undefined ? null : clock.now() + timeLimit * 1000,
    stops: [stop],
  });
  try {
    const service = connect({
      server,
      credentials,
      clock,
      random,
      log: loggerFor(options, output),
      deadline,
      requestTimeoutSeconds: options.wait === -1 ? Infinity : options.wait,
    });
    try {
      return await use(service, deadline);
    } finally {
      service.close();
    }
  } finally {
    deadline.release();
  }
}

const nothing = (): void => undefined;
/** Errors reach the program as errors; a log would repeat them. */
export const silent: Logger = { debug: nothing, info: nothing, warn: nothing, error: nothing };

/** What the requests are logged to. */
export function loggerFor({ verbose }: Pick<ServiceOptions, "verbose">, output: Output): Logger {
  return verbose === true ? logTo(output) : silent;
}

function logTo(output: Output): Logger {
  const at =
    (level: string) =>
    (message: string, fields: Readonly<Record<string, unknown>> = {}): void => {
      const rest = Object.keys(fields).length > 0 ? ` ${JSON.stringify(fields)}` : "";
      output.note(printable(`${level}: ${message}${rest}`, 2_000));
    };
  return { debug: at("debug"), info: at("info"), warn: at("warning"), error: at("error") };
}

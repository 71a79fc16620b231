import { Deadline } from "../deadline.ts";
import { type Logger, silent } from "../logger.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { connect } from "../service/connect.ts";
import { secretOf } from "../service/credentials.ts";
import { oneLine } from "../text.ts";
import type { Cli, ConnectionOptions } from "./command.ts";
import { readAccess } from "./credentials.ts";
import type { Output } from "./output.ts";

/** What a command works with besides the service. */
interface Session {
  readonly deadline: Deadline;
  readonly log: Logger;
}

/**
 * Lends the service that the options name, until Ctrl-C, SIGTERM, the time limit or the end of the work.
 *
 * @param timeLimit - seconds; default: none
 * @throws UsageError, CredentialsError or ServiceError when the options cannot be used; no request is sent
 */
export async function withService<T>(
  cli: Cli,
  options: ConnectionOptions & { readonly inputIsTaken?: boolean },
  use: (service: AttackPathService, session: Session) => Promise<T>,
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
  const log = loggerFor(options, output);
  try {
    const service = connect({
      server,
      credentials,
      clock,
      random,
      log,
      deadline,
      requestTimeoutSeconds: options.wait,
    });
    try {
      return await use(service, { deadline, log });
    } finally {
      output.progress("");
      service.close();
    }
  } finally {
    deadline.release();
  }
}

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

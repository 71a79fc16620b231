import type { Command } from "commander";
import { Deadline } from "../deadline.ts";
import type { Logger } from "../logger.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { connect } from "../service/connect.ts";
import { secretOf } from "../service/credentials.ts";
import type { Cli, ConnectionOptions, Handler } from "./command.ts";
import { readAccess } from "./credentials.ts";
import type { ExitCode } from "./exit-codes.ts";
import { loggerFor } from "./output/request-log.ts";

/** What a command works with besides the service. */
interface Session {
  readonly deadline: Deadline;
  readonly log: Logger;
}

/** The body of a command that asks the service. Its connections are closed afterwards. */
export function serviceHandler(
  run: (cli: Cli, service: AttackPathService, command: Command, log: Logger) => Promise<ExitCode>,
): Handler {
  return (cli, command) =>
    withService(cli, command.opts<ConnectionOptions>(), (service, { log }) => run(cli, service, command, log));
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

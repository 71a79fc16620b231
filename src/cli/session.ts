import type { Command } from "commander";
import { Deadline } from "../deadline.ts";
import type { Logger } from "../logger.ts";
import type { AttackPathService } from "../service/attack-path-service.ts";
import { connect } from "../service/connect.ts";
import { secretOf } from "../service/credentials.ts";
import { PromptClosedError } from "../terminal.ts";
import type { Cli, ConnectionOptions, Handler } from "./command.ts";
import { readAccess } from "./credentials.ts";
import type { ExitCode } from "./exit-codes.ts";
import { CredentialsError } from "./failures.ts";
import { loggerFor } from "./output/request-log.ts";
import type { Access } from "./profiles/profile.ts";

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
  const at = timeLimit === undefined ? null : clock.now() + timeLimit * 1000;
  const deadline = new Deadline({ clock, at, stops: [stop] });
  try {
    const { server, credentials } = await readAccessInTime(options, cli, deadline);
    output.protect(secretOf(credentials).reveal());
    const log = loggerFor(options, output);
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

async function readAccessInTime(
  options: ConnectionOptions & { readonly inputIsTaken?: boolean },
  cli: Cli,
  deadline: Deadline,
): Promise<Access> {
  try {
    return await readAccess(options, { ...cli, terminal: { ...cli.terminal, stop: deadline.signal } });
  } catch (error) {
    if (!(error instanceof PromptClosedError) || cli.stop.aborted || !deadline.signal.aborted) throw error;
    throw new CredentialsError(
      "The credentials did not arrive within --time-limit. No request was sent. Enter them sooner, check the program that writes them, or raise --time-limit.",
    );
  }
}

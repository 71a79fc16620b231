import type { AttackPathService } from "../service/attack-path-service.ts";
import { endsTheRun, NotFoundError, ServiceError, type ServiceErrorCode } from "../service/errors/errors.ts";
import { oneLine } from "../text.ts";
import type { SamlProvider, User } from "../service/resources/sso.records.ts";
import { confirm } from "../terminal.ts";
import type { Cli, Handler } from "./command.ts";
import { ExitCode } from "./exit-codes.ts";
import { NothingFoundError, ReaderGoneError, UsageError } from "./failures.ts";
import type { Output } from "./output/output.ts";
import { type RowFormat, writeRows } from "./rows.ts";
import { serviceHandler } from "./session.ts";

/** After these errors, the request may have reached the service and done its work. */
const UNDECIDED: ReadonlySet<ServiceErrorCode> = new Set([
  "aborted",
  "deadline",
  "network",
  "protocol",
  "server",
  "timeout",
]);

/** A kind of provider that a command deletes. */
export interface Deletion {
  readonly noun: string;
  /** Is said before anything else. */
  readonly warning?: string;
  /** The provider's id, as text. */
  readonly idOf: (provider: SamlProvider) => string;
  readonly delete: (service: AttackPathService, id: string) => Promise<User[] | null>;
}

const columns = [
  { key: "principal_name", title: "User" },
  { key: "email_address", title: "Email" },
  { key: "id", title: "Id" },
] as const;

/** The body of a command that deletes a provider, and lists the users who used it. */
export function deletionHandler(deletion: Deletion): Handler {
  return serviceHandler((cli, service, command) => {
    cli.output.refuseClosed();
    if (deletion.warning !== undefined) cli.output.note(`Warning: ${deletion.warning}`);
    // Written as the service writes it: 011 is the provider 11, which the question must name.
    const id = String(command.processedArgs[0]);
    return deleteProvider(cli, service, deletion, { id, ...command.opts<{ yes?: true; format: RowFormat }>() });
  });
}

/** The providers, for their names. Empty if the service does not list them: the id is enough to delete one. */
async function providers({ output }: Cli, service: AttackPathService): Promise<readonly SamlProvider[]> {
  try {
    return await service.sso.listSamlProviders();
  } catch (error) {
    if (!(error instanceof ServiceError) || endsTheRun(error)) throw error;
    output.note(`The names of the providers could not be read. ${error.message}`);
    return [];
  }
}

/**
 * Deletes the provider after a confirmation, and lists the users who used it. The service names them only afterwards.
 *
 * @throws UsageError when standard input is not a terminal; nothing is deleted
 */
export async function deleteProvider(
  cli: Cli,
  service: AttackPathService,
  deletion: Pick<Deletion, "noun" | "idOf" | "delete">,
  { id, yes = false, format }: { id: string; yes?: boolean; format: RowFormat },
): Promise<ExitCode> {
  const { noun, idOf } = deletion;
  if (!yes && cli.terminal.input.isTTY !== true) {
    throw new UsageError(
      "Standard input is not a terminal, so the command cannot ask for confirmation. Nothing was deleted. Add --yes.",
    );
  }
  const provider = (await providers(cli, service)).find((each) => idOf(each) === id);
  const name = provider?.display_name ?? provider?.name;
  // The prompt does not go through the output.
  const subject = name === undefined ? `${noun} ${id}` : `${noun} ${id} (${oneLine(cli.output.prepare(name))})`;
  if (!yes && !(await confirm(cli.terminal, `Its users can no longer sign in with it. Delete ${subject}?`))) {
    cli.output.note("Nothing was deleted.");
    return ExitCode.no;
  }
  const users = await deletion.delete(service, id).catch((error: unknown) => {
    throw explained(error, cli.output, subject);
  });
  cli.output.note(`Deleted ${subject}. Affected users: ${users?.length ?? "the service did not name them"}.`);
  const rows = (users ?? []).map(rowOf);
  try {
    await writeRows(cli.output, { format, columns, fields: Object.keys(rowOf({})) }, rows);
    return ExitCode.yes;
  } catch (error) {
    // The service does not say it again.
    cli.output.note(`The list of affected users could not be written. They are:\n${rows.map(lineOf).join("\n")}`);
    if (error instanceof ReaderGoneError) return ExitCode.partial;
    throw error;
  }
}

function rowOf({ id, principal_name, email_address }: User) {
  return { id: id ?? null, principal_name: principal_name ?? null, email_address: email_address ?? null };
}

function lineOf(row: Readonly<Record<string, string | null>>): string {
  return columns.flatMap(({ key }) => oneLine(row[key] ?? "") || []).join("  ");
}

/** Says what is known of the deletion after an error, and returns the error to throw. */
function explained(error: unknown, output: Output, subject: string): unknown {
  if (error instanceof NotFoundError && error.wrapped) return new NothingFoundError(error.message);
  if (!(error instanceof ServiceError) || !UNDECIDED.has(error.code)) return error;
  output.note(
    `${subject} may have been deleted. To find out, run: attack-path-analysis saml list. It has no OIDC providers: the web interface of BloodHound shows these.`,
  );
  return error;
}

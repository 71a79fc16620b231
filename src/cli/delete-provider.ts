import type { AttackPathService } from "../service/attack-path-service.ts";
import { printable } from "../service/errors/printable.ts";
import type { SamlProvider, User } from "../service/resources/sso.records.ts";
import { confirm } from "../terminal.ts";
import type { Cli } from "./command.ts";
import { ExitCode } from "./exit-codes.ts";
import { UsageError } from "./failures.ts";
import { type RowFormat, writeRows } from "./rows.ts";

/** A provider that is to be deleted. */
export interface Deletion {
  readonly noun: string;
  readonly id: string;
  readonly matches: (provider: SamlProvider) => boolean;
  readonly delete: () => Promise<User[]>;
  readonly yes: boolean;
  readonly format: RowFormat;
}

const columns = [
  { key: "principal_name", title: "User" },
  { key: "email_address", title: "Email" },
  { key: "id", title: "Id" },
] as const;

/**
 * Deletes the provider after a confirmation, and lists the users who used it. The service names them only afterwards.
 *
 * @throws UsageError when nobody can be asked; nothing is deleted
 */
export async function deleteProvider(cli: Cli, service: AttackPathService, deletion: Deletion): Promise<ExitCode> {
  const { noun, id, matches, yes, format } = deletion;
  if (!yes && cli.terminal.input.isTTY !== true) {
    throw new UsageError("Standard input is not a terminal, so nobody can confirm. Nothing was deleted. Add --yes.");
  }
  const provider = (await service.sso.listSamlProviders()).find(matches);
  const name = provider?.display_name ?? provider?.name;
  // The prompt does not go through the output.
  const subject = name === undefined ? `${noun} ${id}` : `${noun} ${id} (${printable(cli.output.prepare(name))})`;
  if (!yes && !(await confirm(cli.terminal, `Its users can no longer sign in with it. Delete ${subject}?`))) {
    cli.output.note("Nothing was deleted.");
    return ExitCode.no;
  }
  const users = await deletion.delete();
  cli.output.note(`Deleted ${subject}. Affected users: ${users.length}.`);
  const rows = users.map(({ id: userId, principal_name, email_address }) => ({
    id: userId ?? null,
    principal_name: principal_name ?? null,
    email_address: email_address ?? null,
  }));
  await writeRows(cli.output, { format, columns }, rows);
  return ExitCode.yes;
}

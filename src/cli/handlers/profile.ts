import { checkCredentials, secretOf } from "../../service/credentials.ts";
import { parseServerAddress } from "../../service/http/server-address.ts";
import type { Cli, ConnectionOptions, Handler } from "../command.ts";
import { askForAccess } from "../credentials.ts";
import { ExitCode } from "../exit-codes.ts";
import { CredentialsError, UsageError } from "../failures.ts";
import { endOfList } from "../list-end.ts";
import { readProfile } from "../profiles/profile.ts";
import { ProfileStore } from "../profiles/store.ts";
import { type RowFormat, writeRows } from "../rows.ts";

const columns = [
  { key: "profile", title: "Profile", narrowest: 16 },
  { key: "in_use", title: "In use", show: (cell: unknown) => (cell === true ? "yes" : "") },
  { key: "server", title: "Server", narrowest: 24 },
  { key: "token_id", title: "Token id", narrowest: 36, leftOut: 1 },
] as const;

export const addProfile: Handler = async (cli, command) => {
  const store = new ProfileStore(cli.defaultProfile);
  const [name = ""] = command.args;
  const { replace, ...options } = command.opts<ConnectionOptions & { replace?: true }>();
  store.pathOf(name);
  const before = await store.names();
  if (before.includes(name) && replace !== true)
    throw new UsageError(`There is a profile named ${name}. Add --replace to replace it.`);
  const access = await askForAccess(options, cli);
  const { origin } = parseServerAddress(access.server);
  checkCredentials(access.credentials);
  await store.add(name, access);
  const isFirst = before.length === 0;
  if (isFirst) await store.use(name);
  cli.output.note(
    `Wrote the profile ${name} for ${origin}. ${isFirst ? "It is used when --profile is not given. " : ""}Check it with: attack-path-analysis doctor --profile ${name}`,
  );
  return ExitCode.yes;
};

export const listProfiles: Handler = async (cli, command) => {
  const store = new ProfileStore(cli.defaultProfile);
  const [names, current] = [await store.names(), await store.current()];
  const rows = await Promise.all(names.map((name) => rowOf(cli, store, name, current)));
  const { format } = command.opts<{ format: RowFormat }>();
  await writeRows(
    cli.output,
    { format, columns, fields: ["profile", "in_use", "server", "token_id", "problem"] },
    rows,
  );
  for (const { profile: name, problem } of rows) if (problem !== null) cli.output.error(`${name}: ${problem}`);
  const empty = "There are no profiles. Write one with: attack-path-analysis profile add";
  const code = endOfList(cli.output, { count: rows.length, empty });
  return rows.some(({ problem }) => problem !== null) ? ExitCode.credentials : code;
};

async function rowOf({ terminal, output }: Cli, store: ProfileStore, name: string, current: string) {
  const known = { profile: name, in_use: name === current };
  try {
    const { server, credentials } = await readProfile(store.pathOf(name), terminal.stop);
    output.protect(secretOf(credentials).reveal());
    const id = credentials.kind === "token" ? credentials.id : "bearer token";
    return { ...known, server, token_id: id, problem: null };
  } catch (error) {
    if (!(error instanceof CredentialsError)) throw error;
    return { ...known, server: null, token_id: null, problem: error.message };
  }
}

export const useProfile: Handler = async ({ output, defaultProfile }, command) => {
  const [name = ""] = command.args;
  await new ProfileStore(defaultProfile).use(name);
  output.note(`${name} is used when --profile is not given.`);
  return ExitCode.yes;
};

/** Otherwise, nobody notices that later commands ask another tenant. */
function nextInUse(names: readonly string[], current: string): string {
  return names.includes(current)
    ? `${current} is used now when --profile is not given.`
    : "No profile is in use now. Choose one with: attack-path-analysis profile use <name>";
}

export const removeProfile: Handler = async ({ output, defaultProfile }, command) => {
  const [name = ""] = command.args;
  const store = new ProfileStore(defaultProfile);
  const wasInUse = (await store.current()) === name;
  await store.remove(name);
  output.note(`Removed the profile ${name}. To end its access, delete its token in the service, too.`);
  const names = await store.names();
  if (wasInUse && names.length > 0) output.note(nextInUse(names, await store.current()));
  return ExitCode.yes;
};

import { checkCredentials } from "../../service/credentials.ts";
import { parseServerAddress } from "../../service/http/server-address.ts";
import { type Cli, type ConnectionOptions, describeCommand, withAddressOptions } from "../command.ts";
import { askForAccess } from "../credentials.ts";
import { ExitCode } from "../exit-codes.ts";
import { CredentialsError, UsageError } from "../failures.ts";
import { endOfList } from "../list-end.ts";
import { readProfile } from "../profiles/profile.ts";
import { ProfileStore } from "../profiles/store.ts";
import { type RowFormat, withFormat, writeRows } from "../rows.ts";

const columns = [
  { key: "profile", title: "Profile", narrowest: 16 },
  { key: "in_use", title: "In use", show: (cell: unknown) => (cell === true ? "yes" : "") },
  { key: "server", title: "Server", narrowest: 24 },
  { key: "token_id", title: "Token id", narrowest: 36, leftOut: 1 },
] as const;

const profile = (cli: Cli) => {
  const store = new ProfileStore(cli.defaultProfile);
  return describeCommand("profile", "Keep addresses and credentials of tenants under names, for --profile.", [
    "profile add acme --server https://acme.example.com --token-id 00000000-0000-4000-8000-000000000000 < token-key",
    "findings --profile acme",
    "profile use acme",
    "doctor --all",
  ])
    .addCommand(add(cli, store).summary("keep address and credentials of a tenant"))
    .addCommand(list(cli, store).summary("list the profiles"))
    .addCommand(use(cli, store).summary("use a profile when --profile is not given"))
    .addCommand(remove(cli, store).summary("remove a profile with its credentials"));
};
export default profile;

function add(cli: Cli, store: ProfileStore) {
  const command = withAddressOptions(
    describeCommand("add", "Keep address and credentials of a tenant in a file that only you can read.", [
      "profile add acme --server https://acme.example.com --token-id 00000000-0000-4000-8000-000000000000 < token-key",
    ])
      .argument("<name>", "letters, digits, hyphens and underscores")
      .option("--replace", "replace the profile with this name"),
  );
  return command.action(async (name: string) => {
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
    cli.exitCode = ExitCode.yes;
  });
}

function list(cli: Cli, store: ProfileStore) {
  const command = withFormat(describeCommand("list", "List the profiles, without their secrets.", ["profile list"]));
  return command.action(async () => {
    const [names, current] = [await store.names(), await store.current()];
    const rows = await Promise.all(names.map((name) => rowOf(cli, store, name, current)));
    await writeRows(cli.output, { format: command.opts<{ format: RowFormat }>().format, columns }, rows);
    for (const { profile: name, problem } of rows) if (problem !== null) cli.output.error(`${name}: ${problem}`);
    const empty = "There are no profiles. Write one with: attack-path-analysis profile add";
    cli.exitCode = endOfList(cli.output, { count: rows.length, empty });
  });
}

async function rowOf({ terminal }: Cli, store: ProfileStore, name: string, current: string) {
  const known = { profile: name, in_use: name === current };
  try {
    const { server, credentials } = await readProfile(store.pathOf(name), terminal.stop);
    const id = credentials.kind === "token" ? credentials.id : "bearer token";
    return { ...known, server, token_id: id, problem: null };
  } catch (error) {
    if (!(error instanceof CredentialsError)) throw error;
    return { ...known, server: null, token_id: null, problem: error.message };
  }
}

function use(cli: Cli, store: ProfileStore) {
  return describeCommand("use", "Use a profile when --profile is not given.", [
    "profile use acme",
    "profile use default",
  ])
    .argument("<name>", "name of the profile")
    .action(async (name: string) => {
      await store.use(name);
      cli.output.note(`${name} is used when --profile is not given.`);
      cli.exitCode = ExitCode.yes;
    });
}

function remove(cli: Cli, store: ProfileStore) {
  return describeCommand("remove", "Remove a profile with its credentials. The token itself stays valid.", [
    "profile remove acme",
  ])
    .argument("<name>", "name of the profile")
    .action(async (name: string) => {
      await store.remove(name);
      cli.output.note(`Removed the profile ${name}. To end its access, delete its token in the service, too.`);
      cli.exitCode = ExitCode.yes;
    });
}

import { type Cli, describeCommand, handled, withAddressOptions, withFormat } from "../command.ts";

const profile = (cli: Cli) =>
  describeCommand("profile", "Keep addresses and credentials of tenants under names, for --profile.", [
    "profile add acme --server https://acme.example.com --token-id 00000000-0000-4000-8000-000000000000 < token-key",
    "findings --profile acme",
    "profile use acme",
    "doctor --all",
  ])
    .addCommand(add(cli).summary("keep address and credentials of a tenant"))
    .addCommand(list(cli).summary("list the profiles"))
    .addCommand(use(cli).summary("use a profile when --profile is not given"))
    .addCommand(remove(cli).summary("remove a profile with its credentials"));
export default profile;

function add(cli: Cli) {
  const command = withAddressOptions(
    describeCommand("add", "Keep address and credentials of a tenant in a file that only you can read.", [
      "profile add acme --server https://acme.example.com --token-id 00000000-0000-4000-8000-000000000000 < token-key",
    ])
      .argument("<name>", "letters, digits, hyphens and underscores")
      .option("--replace", "replace the profile with this name"),
  );
  return handled(cli, command, async () => (await import("../handlers/profile.ts")).addProfile);
}

function list(cli: Cli) {
  const command = withFormat(describeCommand("list", "List the profiles, without their secrets.", ["profile list"]));
  return handled(cli, command, async () => (await import("../handlers/profile.ts")).listProfiles);
}

function use(cli: Cli) {
  const command = describeCommand("use", "Use a profile when --profile is not given.", [
    "profile use acme",
    "profile use default",
  ]).argument("<name>", "name of the profile");
  return handled(cli, command, async () => (await import("../handlers/profile.ts")).useProfile);
}

function remove(cli: Cli) {
  const command = describeCommand("remove", "Remove a profile with its credentials. The token itself stays valid.", [
    "profile remove acme",
  ]).argument("<name>", "name of the profile");
  return handled(cli, command, async () => (await import("../handlers/profile.ts")).removeProfile);
}

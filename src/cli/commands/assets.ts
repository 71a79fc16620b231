import { type Cli, describeCommand, handled, withConnectionOptions } from "../command.ts";

const assets = (cli: Cli) =>
  handled(
    cli,
    withConnectionOptions(
      describeCommand("assets", "Show properties, counts and related objects of each object.", [
        'assets "DOMAIN ADMINS@CORP.EXAMPLE.COM"',
        "assets S-1-5-21-1-2-3-512 S-1-5-21-1-2-3-1104 --json",
      ])
        .argument("<objects...>", "names or object ids")
        .option("--json", "write the result as JSON"),
    ),
    async () => (await import("../handlers/assets.ts")).assets,
  );
export default assets;

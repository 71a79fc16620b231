import { type Cli, describeCommand, handled, withConnectionOptions } from "../command.ts";

const objectId = (cli: Cli) =>
  handled(
    cli,
    withConnectionOptions(
      describeCommand(
        "object-id",
        "Find the object id of each name. Candidates are shown for a name that is not unique.",
        [
          "object-id ADMINISTRATOR@CORP.EXAMPLE.COM",
          'object-id "DOMAIN ADMINS@CORP.EXAMPLE.COM" WEB01.CORP.EXAMPLE.COM --json',
        ],
      )
        .argument("<names...>", "names or object ids")
        .option("--json", "write the result as JSON"),
    ),
    async () => (await import("../handlers/object-id.ts")).objectId,
  );
export default objectId;

import { type Cli, describeCommand, handled, withConnectionOptions } from "../command.ts";

const path = (cli: Cli) =>
  handled(
    cli,
    withConnectionOptions(
      describeCommand(
        "path",
        "Find the shortest attack path from one object to another, or from one object into Tier Zero.",
        [
          'path ALICE@CORP.EXAMPLE.COM "DOMAIN ADMINS@CORP.EXAMPLE.COM"',
          "path S-1-5-21-1-2-3-1104 S-1-5-21-1-2-3-512 --json",
          "path ALICE@CORP.EXAMPLE.COM",
        ],
      )
        .addHelpText(
          "after",
          "\nOnly relationships that give control count: no path between the ends of a finding does not mean that it is fixed.\n\nWithout an end, it tries the well-known objects of Tier Zero and shows the path to the nearest one that it finds.\n\nEnds with exit code 0 when there is a path, with 1 when there is none between two objects that the\nservice knows, and with 2 when a name is unknown or ambiguous. Without an end, 5 means that some Tier\nZero objects could not be checked and no path was found.",
        )
        .argument("<start>", "name or object id")
        .argument("[end]", "name or object id; default: Tier Zero")
        .option("--json", "write the result as JSON, with the edges of the other shortest paths"),
    ),
    async () => (await import("../handlers/path.ts")).path,
  );
export default path;

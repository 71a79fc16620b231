import { type Cli, describeCommand, handled, withConnectionOptions, withFormat } from "../command.ts";

const types = (cli: Cli) =>
  handled(
    cli,
    withConnectionOptions(
      withFormat(
        describeCommand("types", "List the finding types that environments have findings of.", [
          "types",
          "types CORP.EXAMPLE.COM --json",
        ]).argument("[environments...]", "names or ids (default: all with collected data)"),
      ),
    ),
    async () => (await import("../handlers/types.ts")).types,
  );
export default types;

import { type Cli, describeCommand, handled, withConnectionOptions } from "../command.ts";

const document = (cli: Cli) =>
  handled(
    cli,
    withConnectionOptions(
      describeCommand("document", "Show the texts about a finding type: title, descriptions and remediation.", [
        "document T0GenericAll",
        "document T0GenericAll --json | jq -r .long_remediation",
      ])
        .argument("<type>", "finding type")
        .option("--json", "write the texts as JSON"),
    ),
    async () => (await import("../handlers/document.ts")).document,
  );
export default document;

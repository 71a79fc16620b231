import { Option } from "commander";
import { chooseEnvironments } from "../choose-environments.ts";
import { type Cli, describeCommand, serviceAction } from "../command.ts";
import { Selection } from "../../ingestion/selection.ts";
import { SEVERITIES } from "../../runtime/protocol.ts";
import { FindingRows } from "../finding-rows.ts";
import { instantOption } from "../instant-option.ts";
import { ENVIRONMENTS, WITHOUT_ID } from "../list-end.ts";
import { type RowFormat, withFormat, writeRows } from "../rows.ts";

interface Options {
  environment: string[];
  type: string[];
  severity: string[];
  since?: number;
  accepted?: "yes" | "no";
  format: RowFormat;
}

const columns = [
  { key: "severity", title: "Severity" },
  { key: "environment_name", title: "Environment" },
  { key: "finding_type", title: "Finding type" },
  { key: "source_principal_name", title: "From" },
  { key: "target_principal_name", title: "To" },
  { key: "created_at", title: "Created" },
] as const;

const findings = (cli: Cli) => {
  const command = withFormat(
    describeCommand("findings", "List findings, one environment and finding type after the other.", [
      "findings --severity critical high --since 7d",
      "findings --environment CORP.EXAMPLE.COM --type T0GenericAll --format csv > findings.csv",
      "findings --accepted no --json | jq .source_principal_name",
    ])
      .addOption(new Option("--environment <names...>", "only these environments, by name or id").default([], "all"))
      .addOption(new Option("--type <types...>", "only these finding types").default([], "all"))
      .addOption(new Option("--severity <levels...>", "only these severities").choices(SEVERITIES).default([], "all"))
      .option(
        "--since <moment>",
        "created since then: 2026-01-31, 2026-01-31T06:00:00Z, or how long ago, such as 12h or 7d",
        instantOption(() => cli.clock.now()),
      )
      .addOption(new Option("--accepted <answer>", "whether the risk was accepted").choices(["yes", "no"])),
  );
  return serviceAction(cli, command, async (service) => {
    cli.output.refuseClosed();
    const { environment, type, severity, since, accepted, format } = command.opts<Options>();
    const { environments, unreadable, incomplete } = await chooseEnvironments(service, environment);
    const found = new FindingRows(
      service,
      {
        environments,
        selection: new Selection({ "Selected Finding Types": type }),
        severities: severity,
        since,
        accepted: accepted === undefined ? undefined : accepted === "yes",
      },
      cli.clock.now(),
      (text) => {
        cli.output.progress(text);
      },
    );
    found.parts.ignore(unreadable, WITHOUT_ID);
    const count = await writeRows(cli.output, { format, columns }, found.rows());
    found.parts.fail(ENVIRONMENTS, incomplete);
    return found.parts.end(cli.output, { count, empty: "No finding matches." });
  });
};
export default findings;

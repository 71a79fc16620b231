import { Option } from "commander";
import { FINDING_FORMATS } from "../../output/formats.ts";
import { SEVERITIES } from "../../runtime/protocol.ts";
import { type Cli, describeCommand, handled, positive, withConnectionOptions, withFormat } from "../command.ts";
import { SORTS } from "../option-values.ts";

const findings = (cli: Cli) => {
  const command = withFormat(
    describeCommand("findings", "List findings, one environment and finding type after the other.", [
      "findings --severity critical high --since 7d",
      "findings --sort impact --limit 20",
      "findings --environment CORP.EXAMPLE.COM --type T0GenericAll --format csv > findings.csv",
      "findings --accepted no --json | jq .source_principal_name",
      "findings --format ocsf > findings.ocsf.ndjson",
    ])
      .addOption(new Option("--environment <names...>", "only these environments, by name or id").default([], "all"))
      .addOption(new Option("--type <types...>", "only these finding types").default([], "all"))
      .addOption(new Option("--severity <levels...>", "only these severities").choices(SEVERITIES).default([], "all"))
      .option(
        "--since <moment>",
        "created since then: 2026-01-31, 2026-01-31T06:00:00Z, or how long ago, such as 12h or 7d",
      )
      .addOption(new Option("--accepted <answer>", "whether the risk was accepted").choices(["yes", "no"]))
      .addOption(
        new Option(
          "--sort <column>",
          "severity, impact or exposure: the worst first; created: the oldest first (default: as they are read)",
        ).choices(SORTS),
      )
      .option("--limit <number>", "show at most this many", positive),
    Object.keys(FINDING_FORMATS),
  );
  return handled(cli, withConnectionOptions(command), async () => (await import("../handlers/findings.ts")).findings);
};
export default findings;

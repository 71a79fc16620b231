import { Option } from "commander";
import { type Cli, describeCommand, handled, withConnectionOptions, withJson } from "../command.ts";

const trend = (cli: Cli) => {
  const command = describeCommand(
    "trend",
    "Show how a finding type of an environment develops, one point per analysis.",
    ["trend CORP.EXAMPLE.COM T0GenericAll", "trend CORP.EXAMPLE.COM T0GenericAll --from 90d --format csv"],
  )
    .argument("<environment>", "name or id")
    .argument("<type>", "finding type")
    .option("--from <moment>", "begin then: a date, an instant, or how long ago, such as 90d (default: 30d)")
    .option("--to <moment>", "end then (default: now)")
    .addOption(
      new Option("--format <form>", "how to write the points").choices(["plot", "ndjson", "csv"]).default("plot"),
    );
  const whole = withJson(command, "ndjson", ": one JSON object a line");
  return handled(cli, withConnectionOptions(whole), async () => (await import("../handlers/trend.ts")).trend);
};
export default trend;

import { Option } from "commander";
import { type Cli, describeCommand, handled, lineFormatOption, positive, withConnectionOptions } from "../command.ts";
import { LEVELS } from "../option-values.ts";

const SEMANTICS = `
Each line of standard output is one alert, as JSON; with --format ocsf, one finding, as
an event of the class Detection Finding. The state file remembers what was delivered. If a run is killed, the next one continues where it was: when standard output
is a regular file (>> alerts.ndjson, on Linux), it gets every alert exactly once; in a pipe,
the alert that was being written may come again with the same id.

Run it on a schedule, for example from cron. A run that finds another one still
running reads nothing and ends with exit code 1.

With --state -, there is no file: the state comes in on standard input (nothing for a
first run), and goes out in lines {"type":"state","state":{…}} among the alerts. Each
covers the alerts before it. Pass the last one that you have read to the next run, as it
is. The credentials come from a profile.`;

const poll = (cli: Cli) => {
  const command = withConnectionOptions(
    describeCommand("poll", "Run the connector once: write what is new as alerts, one JSON object per line.", [
      "poll --profile tenant.json --state poll.json >> alerts.ndjson",
      'poll --profile tenant.json --state poll.json --environment "CORP.EXAMPLE" --time-limit 240 | my-siem-import',
      "poll --profile tenant.json --state - < last-state.json | my-engine",
    ])
      .requiredOption(
        "--state <file>",
        "remembers what was delivered; the first run creates it; - for standard input and output",
      )
      .option("--environment <names...>", "only these environments, by name or id (default: all)")
      .option("--type <types...>", "only these finding types (default: all)")
      .addOption(new Option("--lowest-severity <level>", "only findings of this severity or worse").choices(LEVELS))
      .option("--hours-back <number>", "only findings created since this long before the first run", positive)
      .option("--max-alerts <number>", "deliver at most this many alerts", positive)
      .option("--max-events <number>", "most findings in one alert (default: 500)", positive)
      .option("--time-limit <seconds>", "stop after this time; the next run continues", positive)
      .addOption(lineFormatOption("an alert"))
      .option("--quiet", "print nothing when everything was read and nothing needs attention")
      .addHelpText("after", SEMANTICS),
  );
  return handled(cli, command, async () => (await import("../handlers/poll.ts")).poll);
};
export default poll;

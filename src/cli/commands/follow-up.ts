import { Option } from "commander";
import { type Cli, describeCommand, handled, lineFormatOption, positive, withConnectionOptions } from "../command.ts";
import { LEVELS } from "../option-values.ts";

const SEMANTICS = `
The alerts are the lines that poll writes; - reads them from standard input, and the
credentials then come from a profile. Each line of standard output is a change that the
evidence asks for, as JSON: {"type":"alert_change","alertId","change","reason","text",
"evidence"}, where the change is close, reopen, comment or priority. The last line is
{"type":"result"} with the verdicts in numbers. With --format ocsf, each line is a finding
that is closed, back or accepted, as an OCSF event, and there is no result.

A finding is gone when two complete reads of two analyses, at least 24 hours apart, lack
it. So run the command every day, or every hour: without a new analysis, it costs two
requests. Without --close-alerts, it asks for comments only.

The state file remembers what was seen, and takes each change for done. A line that has
the field status ("open" or "closed") says so itself, with closedBy and reopenedBy
("job" or "person") and closedAt (milliseconds since 1970): a change that you did not
make is then asked for again, and what a person closed or reopened is left alone.`;

const followUp = (cli: Cli) => {
  const command = withConnectionOptions(
    describeCommand("follow-up", "Find out what became of the findings in alerts: which are gone, accepted, or back.", [
      "follow-up alerts.ndjson --profile tenant.json --state follow-up.json",
      "follow-up alerts.ndjson --state follow-up.json --close-alerts --keep-open high > changes.ndjson",
    ])
      // Options that take several values would take the file, too, if it came last.
      .usage("<alerts> [options]")
      .argument("<alerts>", "file with the lines that poll wrote; - for standard input")
      .requiredOption("--state <file>", "remembers what was seen; the first run creates it")
      .option("--environment <names...>", "only alerts of these environments, by name or id (default: all)")
      .option("--close-alerts", "ask to close alerts whose findings are all gone (default: only comment on them)")
      .addOption(
        new Option("--keep-open <level>", "never ask to close alerts of this severity or a worse one").choices(LEVELS),
      )
      .option(
        "--allow-mass-closing",
        "also close when more than 10 and more than 30 percent of an environment's findings vanished within 8 days; check its collectors first",
      )
      .addOption(lineFormatOption("a change of an alert"))
      .option("--time-limit <seconds>", "stop after this time; the next run continues", positive)
      .option("--quiet", "print no message when everything was judged")
      .addHelpText("after", SEMANTICS),
  );
  return handled(cli, command, async () => (await import("../handlers/follow-up.ts")).followUp);
};
export default followUp;

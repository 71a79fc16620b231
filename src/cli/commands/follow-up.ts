import { Option } from "commander";
import type { Clock } from "../../clock.ts";
import type { Deadline } from "../../deadline.ts";
import { severityOf } from "../../ingestion/mapping/severity.ts";
import type { Logger } from "../../logger.ts";
import type { AlertChange, JobOutcome } from "../../runtime/modules.ts";
import { leftOutNote } from "../../runtime/job-alert.ts";
import { printable } from "../../runtime/printable.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";
import { counted, sentences } from "../../text.ts";
import { type Cli, type ConnectionOptions, describeCommand, positive, withConnectionOptions } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";
import { type GivenAlerts, readAlerts } from "../follow-up/alert-lines.ts";
import { runFollowUp } from "../follow-up/run-follow-up.ts";
import { withFileState } from "../poll/file-state.ts";
import { lineOutput } from "../poll/line-output.ts";
import { withService } from "../session.ts";

interface Options extends ConnectionOptions {
  readonly state: string;
  readonly environment?: string[];
  readonly closeAlerts?: true;
  readonly keepOpen?: string;
  readonly allowMassClosing?: true;
  readonly timeLimit?: number;
  readonly quiet?: true;
  readonly format: "ndjson" | "ocsf";
}

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
      .argument("<alerts>", "file with the lines that poll wrote; - for standard input")
      .requiredOption("--state <file>", "remembers what was seen; the first run creates it")
      .option("--environment <names...>", "only alerts of these environments, by name or id (default: all)")
      .option("--close-alerts", "ask to close alerts whose findings are all gone (default: only comment on them)")
      .addOption(
        new Option("--keep-open <level>", "never ask to close alerts of this severity or a worse one").choices([
          "critical",
          "high",
          "moderate",
          "low",
        ]),
      )
      .option(
        "--allow-mass-closing",
        "also close when more than 10 and more than 30 percent of an environment's findings vanished within 8 days; check its collectors first",
      )
      .addOption(
        new Option(
          "--format <form>",
          "what a line is: a change of an alert (ndjson), or of a finding as an OCSF event (ocsf)",
        )
          .choices(["ndjson", "ocsf"])
          .default("ndjson"),
      )
      .option("--time-limit <seconds>", "stop after this time; the next run continues", positive)
      .option("--quiet", "print no message when everything was judged")
      .addHelpText("after", SEMANTICS),
  );
  return command.action(async (file: string) => {
    const options = command.opts<Options>();
    cli.exitCode = await withService(
      cli,
      { ...options, inputIsTaken: file === STREAM },
      (service, session) => followUpOnce(cli, file, options, { service, ...session }),
      options.timeLimit,
    );
  });
};
export default followUp;

const STREAM = "-";

async function followUpOnce(
  cli: Cli,
  file: string,
  options: Options,
  { service, deadline, log }: { service: AttackPathService; deadline: Deadline; log: Logger },
): Promise<ExitCode> {
  const { output, clock, stop, terminal } = cli;
  output.refuseClosed();
  const isStream = file === STREAM;
  const from = { name: isStream ? "standard input" : file, input: isStream ? terminal.input : null };
  const isOcsf = options.format === "ocsf";
  const given = await readAlerts(from, { origin: service.origin, keepsWhole: isOcsf, stop: deadline.signal });
  const linesOf = isOcsf ? await ocsfLinesOf(given, clock) : changeLine;
  const lines = lineOutput(output.stdout, {
    clock,
    stop,
    until: deadline.signal,
    consequence: "The next run continues with the change that was being written.",
  });
  const outcome = await withFileState(
    options.state,
    { tenant: service.origin, output: lines, command: "follow-up" },
    (state) =>
      runFollowUp(state, {
        service,
        clock,
        deadline,
        log,
        given,
        linesOf,
        environments: options.environment ?? [],
        settings: {
          closes: options.closeAlerts === true,
          keptOpen: options.keepOpen === undefined ? null : severityOf(options.keepOpen),
          allowsMassClosing: options.allowMassClosing === true,
        },
        redact: (text) => output.prepare(text),
        progress(done, total) {
          if (options.quiet !== true) output.progress(`Judged ${done} of ${counted(total, "environment")}`);
        },
      }),
  );
  if (!isOcsf) await output.write(output.prepare(`${JSON.stringify({ type: "result", ...outcome })}\n`));
  const isClear = outcome.value === true && given.foreign === 0;
  if (options.quiet !== true || !isClear)
    output.note(printable(sentences([outcome.message, leftOutNote(given.foreign)])));
  return stop.aborted ? ExitCode.interrupted : exitCodeFor(outcome);
}

const changeLine = (change: AlertChange): string => `${JSON.stringify({ type: "alert_change", ...change })}\n`;

async function ocsfLinesOf({ alerts }: GivenAlerts, clock: Clock): Promise<(change: AlertChange) => string> {
  const { ocsfChangeLines } = await import("../../output/ocsf-lines.ts");
  return (change) => {
    const whole = alerts.get(change.alertId)?.whole;
    return whole ? ocsfChangeLines(whole, change, clock.now()) : "";
  };
}

/** Alerts that the job leaves alone or cannot judge yet are no failure: it says which. */
function exitCodeFor({ status }: JobOutcome<"Follow Up Findings">): ExitCode {
  if (status === "completed") return ExitCode.yes;
  return status === "failed" ? ExitCode.service : ExitCode.partial;
}

import { Option } from "commander";
import type { Deadline } from "../../deadline.ts";
import { firstError, needsAttention, type RunSummary } from "../../ingestion/run-summary.ts";
import { Selection } from "../../ingestion/selection.ts";
import type { ConnectorOutcome } from "../../runtime/modules.ts";
import { printable } from "../../runtime/printable.ts";
import type { Alert } from "../../runtime/protocol.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";
import { type Cli, describeCommand, type ConnectionOptions, positive, withConnectionOptions } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";
import { exitCodeOf } from "../failures.ts";
import { withFileState } from "../poll/file-state.ts";
import { lineOutput } from "../poll/line-output.ts";
import { type PollState, runPoll } from "../poll/run-poll.ts";
import { StateLines } from "../poll/state-lines.ts";
import { withService } from "../session.ts";

interface Options extends ConnectionOptions {
  /** Path of the state file; `-` for standard input and output. */
  readonly state: string;
  readonly environment?: string[];
  readonly type?: string[];
  readonly lowestSeverity?: keyof typeof LOWEST;
  readonly hoursBack?: number;
  readonly maxAlerts?: number;
  readonly maxEvents?: number;
  readonly timeLimit?: number;
  readonly quiet?: true;
  readonly format: "ndjson" | "ocsf";
}

/** The connector's words for the severities. */
const LOWEST = { critical: "Critical", high: "High", moderate: "Medium", low: "Low" } as const;

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
      .addOption(
        new Option("--lowest-severity <level>", "only findings of this severity or worse").choices(Object.keys(LOWEST)),
      )
      .option("--hours-back <number>", "only findings created since this long before the first run", positive)
      .option("--max-alerts <number>", "deliver at most this many alerts", positive)
      .option("--max-events <number>", "most findings in one alert (default: 500)", positive)
      .option("--time-limit <seconds>", "stop after this time; the next run continues", positive)
      .addOption(
        new Option("--format <form>", "what a line is: an alert (ndjson), or a finding as an OCSF event (ocsf)")
          .choices(["ndjson", "ocsf"])
          .default("ndjson"),
      )
      .option("--quiet", "print nothing when everything was read and nothing needs attention")
      .addHelpText("after", SEMANTICS),
  );
  return command.action(async () => {
    const options = command.opts<Options>();
    cli.exitCode = await withService(
      cli,
      { ...options, inputIsTaken: options.state === STREAM },
      (service, { deadline }) => pollOnce(cli, options, service, deadline),
      options.timeLimit,
    );
  });
};
export default poll;

/** In the place of a state file: standard input and standard output. */
const STREAM = "-";

async function pollOnce(cli: Cli, options: Options, service: AttackPathService, deadline: Deadline): Promise<ExitCode> {
  const { output, clock } = cli;
  output.refuseClosed();
  const linesOf = await linesIn(options.format);
  const { outcome, summary } = await withState(cli, options, { service, deadline }, (state) =>
    runPoll(state, {
      service,
      clock,
      deadline,
      linesOf,
      redact: (text) => output.prepare(text),
      selection: selectionOf(options),
      limits: limitsOf(options),
      progress(done, total) {
        if (options.quiet !== true) output.progress(`Read ${done} of ${total} streams`);
      },
    }),
  );
  if (options.quiet !== true || summary === null || needsAttention(summary)) output.note(printable(outcome.message));
  return exitCodeFor(outcome, summary);
}

async function linesIn(format: Options["format"]): Promise<(alert: Alert) => string> {
  if (format === "ndjson") return (alert) => `${JSON.stringify(alert)}\n`;
  const { ocsfLines } = await import("../../output/ocsf-lines.ts");
  return (alert) => ocsfLines(alert, "created");
}

async function withState<T>(
  { terminal, output, clock, stop }: Cli,
  { state }: Options,
  { service, deadline }: { service: AttackPathService; deadline: Deadline },
  use: (state: PollState) => Promise<T>,
): Promise<T> {
  const tenant = service.origin;
  const isStream = state === STREAM;
  const lines = lineOutput(output.stdout, {
    clock,
    stop,
    until: deadline.signal,
    consequence: isStream
      ? "Pass the last state that was read to the next run."
      : "The next run continues with the alert that was being written.",
  });
  if (!isStream) return withFileState(state, { tenant, output: lines }, use);
  return use(await StateLines.read({ ...terminal, stop: deadline.signal }, tenant, lines));
}

function selectionOf({ environment = [], type = [], lowestSeverity, hoursBack }: Options): Selection {
  return new Selection(
    {
      "Selected Environments": environment,
      "Selected Finding Types": type,
      "Lowest Severity To Fetch": lowestSeverity && LOWEST[lowestSeverity],
      "Max Hours Backwards": hoursBack,
    },
    {
      names: {
        "Selected Environments": "--environment",
        "Selected Finding Types": "--type",
        "Lowest Severity To Fetch": "--lowest-severity",
        "Max Hours Backwards": "--hours-back",
      },
      commaHint: () => "",
    },
  );
}

function limitsOf({ maxAlerts, maxEvents }: Options) {
  return {
    ...(maxAlerts === undefined ? {} : { maxAlerts }),
    ...(maxEvents === undefined ? {} : { maxEventsPerAlert: maxEvents }),
  };
}

function exitCodeFor({ status }: ConnectorOutcome, summary: RunSummary | null): ExitCode {
  // To the connector a name that is unknown may come back; here somebody typed it.
  if (status === "completed") return summary?.scope?.unknown.length === 0 ? ExitCode.yes : ExitCode.partial;
  const error = summary === null ? null : firstError(summary);
  if (error?.code === "aborted") return ExitCode.interrupted;
  if (status === "partial") return ExitCode.partial;
  // Without an error of the service, what was selected cannot be polled.
  if (error === null) return ExitCode.usage;
  const code = exitCodeOf(error);
  // A name that the service refuses here is one that it listed itself, and not one that somebody typed.
  return error.status === undefined || code === ExitCode.credentials ? code : ExitCode.service;
}

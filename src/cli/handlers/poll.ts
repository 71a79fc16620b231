import type { Deadline } from "../../deadline.ts";
import { needsAttention } from "../../ingestion/report/attention.ts";
import { firstError, type RunSummary } from "../../ingestion/report/run-summary.ts";
import { Selection } from "../../ingestion/selection.ts";
import { findingLines } from "../../output/finding-lines.ts";
import { FINDING_FORMATS, isFindingFormat } from "../../output/formats.ts";
import type { ConnectorOutcome } from "../../runtime/modules.ts";
import { printable } from "../../runtime/printable.ts";
import type { Alert } from "../../runtime/protocol.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";
import type { Cli, ConnectionOptions, Handler, LineFormat } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";
import { exitCodeOf, readInput } from "../failures.ts";
import { withFileState } from "../poll/file-state.ts";
import { lineOutput } from "../poll/line-output.ts";
import { type PollState, runPoll } from "../poll/run-poll.ts";
import { StateLines } from "../poll/state-lines.ts";
import { withService } from "../session.ts";
import type { Level } from "../option-values.ts";

interface Options extends ConnectionOptions {
  /** Path of the state file; `-` for standard input and output. */
  readonly state: string;
  readonly environment?: string[];
  readonly type?: string[];
  readonly lowestSeverity?: Level;
  readonly hoursBack?: number;
  readonly maxAlerts?: number;
  readonly maxEvents?: number;
  readonly timeLimit?: number;
  readonly quiet?: true;
  readonly format: LineFormat;
}

/** The connector's words for the severities. */
const LOWEST = { critical: "Critical", high: "High", moderate: "Medium", low: "Low" } as const satisfies Readonly<
  Record<Level, string>
>;

/** In the place of a state file: standard input and standard output. */
const STREAM = "-";

export const poll: Handler = (cli, command) => {
  const options = command.opts<Options>();
  return withService(
    cli,
    { ...options, inputIsTaken: options.state === STREAM },
    (service, { deadline }) => pollOnce(cli, options, service, deadline),
    options.timeLimit,
  );
};

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
      output,
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

async function linesIn(format: LineFormat): Promise<(alert: Alert) => string> {
  if (!isFindingFormat(format)) return (alert) => `${JSON.stringify(alert)}\n`;
  const lineOf = await FINDING_FORMATS[format].load();
  return (alert) => findingLines(alert, "created", lineOf);
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
  const read = (): Promise<StateLines> => StateLines.read({ ...terminal, stop: deadline.signal }, tenant, lines);
  return use(await readInput(terminal.input, read, stop));
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
  if (status === "partial") return ExitCode.partial;
  // Without an error of the service, what was selected cannot be polled.
  if (error === null) return ExitCode.usage;
  const code = exitCodeOf(error);
  // A name that the service refuses here is one that it listed itself, and not one that somebody typed.
  return error.status === undefined || code === ExitCode.credentials ? code : ExitCode.service;
}

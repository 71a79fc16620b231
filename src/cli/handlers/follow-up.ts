import type { Clock } from "../../clock.ts";
import type { Deadline } from "../../deadline.ts";
import { severityOf } from "../../findings/severity.ts";
import { Selection } from "../../ingestion/selection.ts";
import type { Logger } from "../../logger.ts";
import { changedFindingLines } from "../../output/finding-lines.ts";
import { FINDING_FORMATS, type FindingLine, isFindingFormat } from "../../output/formats.ts";
import type { AlertChange } from "../../runtime/modules.ts";
import { leftOutNote } from "../../runtime/job-alert.ts";
import { printable } from "../../runtime/printable.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";
import { counted, sentences } from "../../text.ts";
import type { Cli, ConnectionOptions, Handler, LineFormat } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";
import { exitCodeOf, readInput, unlessReaderIsGone, UsageError } from "../failures.ts";
import { type GivenAlerts, readAlerts } from "../follow-up/alert-lines.ts";
import type { FollowUpResult } from "../../follow-up/follow-up.ts";
import { type FollowUpRun, runFollowUp } from "../follow-up/run-follow-up.ts";
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
  readonly format: LineFormat;
}

/** In the place of a file: standard input. */
const STREAM = "-";

export const followUp: Handler = (cli, command) => {
  const [file = STREAM] = command.args;
  const options = command.opts<Options>();
  if (options.state === STREAM) throw new UsageError("follow-up keeps its state in a file. Enter its path as --state.");
  return withService(
    cli,
    { ...options, inputIsTaken: file === STREAM },
    (service, session) => followUpOnce(cli, file, options, { service, ...session }),
    options.timeLimit,
  );
};

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
  const { format } = options;
  const isByFinding = isFindingFormat(format);
  const wholeFor = isByFinding ? format : null;
  const terms = { origin: service.origin, wholeFor, stop: deadline.signal };
  const given = await readInput(from.input, () => readAlerts(from, terms), stop);
  const linesOf = isByFinding ? changedLines(given, await FINDING_FORMATS[format].load(), clock) : changeLine;
  const lines = lineOutput(output.stdout, {
    clock,
    stop,
    until: deadline.signal,
    consequence: "The next run continues with the change that was being written.",
  });
  const { outcome, result } = await withFileState(
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
        selection: selectionOf(options),
        settings: {
          closes: options.closeAlerts === true,
          keptOpen: options.keepOpen === undefined ? null : severityOf(options.keepOpen),
          allowsMassClosing: options.allowMassClosing === true,
        },
        output,
        progress(done, total) {
          if (options.quiet !== true) output.progress(`Judged ${done} of ${counted(total, "environment")}`);
        },
      }),
  );
  if (!isByFinding) {
    const line = `${JSON.stringify({ type: "result", ...outcome })}\n`;
    const separator = await lines.separator();
    await unlessReaderIsGone(() => output.write(output.prepare(`${separator}${line}`)));
  }
  const isClear = outcome.value === true && given.foreign === 0 && !given.isCut && needsNoAttention(result);
  const cut = given.isCut ? CUT : cutNote(given.cut);
  if (options.quiet !== true || !isClear)
    output.note(printable(sentences([outcome.message, leftOutNote(given.foreign), cut])));
  return stop.aborted ? ExitCode.interrupted : exitCodeFor({ outcome, result });
}

/** Whether no alerts stay open and no waits began again for a reason that somebody has to look into. */
function needsNoAttention(result: FollowUpResult): boolean {
  if (result.kind !== "done") return false;
  const { notes, loaded, forgotten, forgottenEnvironments } = result;
  return notes.closingPaused.length === 0 && loaded.kind === "loaded" && forgotten + forgottenEnvironments === 0;
}

const CUT = "The last line of the alerts was cut off, so it was left out. The next run of poll completes it.";

/** No reason to speak despite --quiet: `poll` has written the alert again. */
function cutNote(count: number): string {
  return count === 0
    ? ""
    : `Left out ${counted(count, "line")} of the alerts that ${count === 1 ? "was" : "were"} cut off.`;
}

const changeLine = (change: AlertChange): string => `${JSON.stringify({ type: "alert_change", ...change })}\n`;

function changedLines({ alerts }: GivenAlerts, lineOf: FindingLine, clock: Clock): (change: AlertChange) => string {
  return (change) => {
    const whole = alerts.get(change.alertId)?.whole;
    return whole ? changedFindingLines(whole, change, clock.now(), lineOf) : "";
  };
}

function selectionOf({ environment = [] }: Options): Selection {
  const names = { "Selected Environments": "--environment" };
  return new Selection({ "Selected Environments": environment }, { names, commaHint: () => "" });
}

/** Alerts that the job leaves alone or cannot judge yet are no failure: it says which. A name that no environment has is one. */
function exitCodeFor({ outcome: { status }, result }: FollowUpRun): ExitCode {
  if (result.kind === "newer" || (result.kind === "done" && result.selectsNothing)) return ExitCode.usage;
  if (status === "failed") {
    const stopped = result.kind === "done" ? result.notes.stopped : null;
    return stopped === null ? ExitCode.service : exitCodeOf(stopped);
  }
  const isWhole = status === "completed" && result.kind === "done" && result.scope.unknown.length === 0;
  return isWhole ? ExitCode.yes : ExitCode.partial;
}

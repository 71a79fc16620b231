import { Deadline } from "../../deadline.ts";
import { printable } from "../../runtime/printable.ts";
import { secretOf } from "../../service/credentials.ts";
import { type Cli, describeCommand, type ConnectionOptions, withConnectionOptions } from "../command.ts";
import { readAccess } from "../credentials.ts";
import { writeBundle } from "../doctor/bundle.ts";
import { type CheckReport, type Diagnosis, diagnose } from "../doctor/doctor.ts";
import { durationText } from "../../text.ts";
import { ExitCode } from "../exit-codes.ts";
import { ReaderGoneError } from "../failures.ts";
import type { Output, Style } from "../output.ts";
import { loggerFor } from "../session.ts";
import { wrapped } from "../wrap.ts";

interface Options extends ConnectionOptions {
  readonly json?: true;
  readonly bundle?: string;
}

const doctor = (cli: Cli) => {
  const command = withConnectionOptions(
    describeCommand("doctor", "Find out whether the connector can run, and if not, why and what to do.", [
      "doctor --profile tenant.json",
      "doctor --profile tenant.json --json | jq '.checks[] | select(.status == \"failed\")'",
      "doctor --profile tenant.json --bundle report.json",
    ])
      .option("--json", "write the report as JSON")
      .option("--bundle <file>", "write a report for a support case, without secrets, to this file")
      .addHelpText(
        "after",
        "\nEnds with exit code 0 when the connector can run, and with 1 when it cannot. It ends with 2 when\nthe options cannot be used or the report cannot be written, with 3 when the credentials are\nmissing or unsafe to use, and with 130 when it is interrupted.",
      ),
  );
  return command.action(async () => {
    cli.exitCode = await examine(cli, command.opts<Options>());
  });
};
export default doctor;

async function examine(cli: Cli, options: Options): Promise<ExitCode> {
  const { clock, random, stop, output } = cli;
  const access = await readAccess(options, cli);
  output.protect(secretOf(access.credentials).reveal());
  const deadline = new Deadline({ clock, at: null, stops: [stop] });
  const diagnosis = await diagnose({
    ...access,
    clock,
    random,
    log: loggerFor(options, output),
    deadline,
    requestTimeoutSeconds: options.wait,
    waiting: (ms) => {
      output.note(`The rate limit is reached. Doctor goes on in ${durationText(ms)}.`);
    },
    tell: async (report) => {
      if (options.json !== true) await show(output, linesOf(report, output));
    },
  }).finally(() => {
    deadline.release();
  });
  if (stop.aborted) return ExitCode.interrupted;
  const { canRun, checks } = diagnosis;
  await show(
    output,
    options.json === true ? `${JSON.stringify({ canRun, checks }, null, 2)}\n` : `\n${verdict(diagnosis)}\n`,
  );
  if (options.bundle !== undefined) {
    await writeBundle(options.bundle, diagnosis, clock.now());
    output.note(
      `Wrote ${options.bundle}. It holds no secrets, but names and ids of your systems. Read it before you send it.`,
    );
  }
  return canRun ? ExitCode.yes : ExitCode.no;
}

/** Writes for a reader who may have seen enough, as `head` has: the exit code answers, too. */
async function show(output: Output, text: string): Promise<void> {
  await output.write(text).catch((error: unknown) => {
    if (!(error instanceof ReaderGoneError)) throw error;
  });
}

const MARKS: Readonly<Record<CheckReport["status"], readonly [mark: string, style: Style]>> = {
  ok: ["ok", "green"],
  warning: ["warning", "yellow"],
  failed: ["FAILED", "red"],
  skipped: ["skipped", "dim"],
};
const MARK_WIDTH = 9;
const TITLE_WIDTH = 29;
/** A column of text beside the titles would be too narrow on a terminal with fewer columns. */
const WIDE = 90;

function linesOf({ status, title, summary, fix }: CheckReport, output: Output): string {
  const [mark, style] = MARKS[status];
  const { width } = output;
  const isWide = width === null || width >= WIDE;
  const indent = " ".repeat(MARK_WIDTH + (isWide ? TITLE_WIDTH : 0));
  const texts = [summary, ...(fix === null ? [] : [fix])];
  const lines = texts.flatMap((text) => wrapped(printable(text), width === null ? null : width - indent.length));
  const start = `${output.style(style, mark.padEnd(MARK_WIDTH))}${title.padEnd(isWide ? TITLE_WIDTH : 0)}`;
  const text = lines.join(`\n${indent}`);
  return `${start}${isWide ? "" : `\n${indent}`}${text}\n`;
}

function verdict({ canRun, checks }: Diagnosis): string {
  const problems = checks.filter(({ status, required }) => status === "failed" && required).map(problemOf);
  if (!canRun) return `The connector cannot run. Fix first: ${[...new Set(problems)].join(", ")}.`;
  const notes = checks.filter(({ status }) => status === "warning" || status === "failed").length;
  return notes === 0 ? "The connector can run." : `The connector can run. Problems that do not stop it: ${notes}.`;
}

/** The rate limit may stop any check. */
function problemOf({ title, facts }: CheckReport): string {
  return facts["code"] === "rate_limited" ? "Rate limit" : title;
}

import { Deadline } from "../../deadline.ts";
import { printable } from "../../runtime/printable.ts";
import { secretOf } from "../../service/credentials.ts";
import type { Cli, ConnectionOptions, Handler } from "../command.ts";
import { readAccess } from "../credentials.ts";
import { writeBundle } from "../doctor/bundle.ts";
import { examineAll, type TenantReport } from "../doctor/all.ts";
import { type CheckReport, type Diagnosis, diagnose } from "../doctor/doctor.ts";
import { durationText } from "../../text.ts";
import { ExitCode } from "../exit-codes.ts";
import { unlessReaderIsGone, UsageError } from "../failures.ts";
import { ageOf } from "../instant-option.ts";
import type { Output, Style } from "../output/output.ts";
import type { Access } from "../profiles/profile.ts";
import { ProfileStore } from "../profiles/store.ts";
import { type Cell, type Column, type Row, writeRows } from "../rows.ts";
import { loggerFor } from "../output/request-log.ts";
import { wrapped } from "../drawing/wrap.ts";

interface Options extends ConnectionOptions {
  readonly json?: true;
  readonly bundle?: string;
  readonly all?: true;
}

export const doctor: Handler = (cli, command) => {
  const options = command.opts<Options>();
  return options.all === true ? examineEach(cli, options) : examine(cli, options);
};

async function examine(cli: Cli, options: Options): Promise<ExitCode> {
  const { clock, stop, output } = cli;
  const access = await readAccess(options, cli);
  output.protect(secretOf(access.credentials).reveal());
  const diagnosis = await withDeadline(cli, (deadline) =>
    diagnose({
      ...examinationOf(cli, options, access, deadline),
      tell: async (report) => {
        if (options.json !== true) await show(output, linesOf(report, output));
      },
    }),
  );
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

/** Examines the tenants of all profiles. */
async function examineEach(cli: Cli, options: Options): Promise<ExitCode> {
  const { output, stop, clock } = cli;
  const reports: TenantReport[] = [];
  await withDeadline(cli, async (deadline) => {
    const examineOne = (access: Access): Promise<Diagnosis> =>
      diagnose({ ...examinationOf(cli, options, access, deadline), tell: () => Promise.resolve() });
    for await (const report of examineAll(cli, new ProfileStore(cli.defaultProfile), deadline, examineOne)) {
      if (stop.aborted) return;
      reports.push(report);
      if (options.json === true) await show(output, `${JSON.stringify(report)}\n`);
      else output.progress(`Examined ${reports.length}`);
    }
  });
  if (stop.aborted) return ExitCode.interrupted;
  if (reports.length === 0)
    throw new UsageError("There are no profiles. Write one with: attack-path-analysis profile add");
  if (options.json !== true) {
    output.progress("");
    const rows = reports.map((report) => rowOf(report, clock.now()));
    await unlessReaderIsGone(() => writeRows(output, { format: "table", columns }, rows));
    for (const { profile, problem } of reports) if (problem !== null) output.note(`${profile}: ${printable(problem)}`);
  }
  return reports.reduce<ExitCode>((worst, { exitCode }) => (exitCode > worst ? exitCode : worst), ExitCode.yes);
}

const COLOURS: ReadonlyMap<Cell, Style> = new Map<TenantReport["state"], Style>([
  ["ok", "green"],
  ["warnings", "yellow"],
  ["cannot run", "red"],
  ["unusable profile", "red"],
]);

const columns: readonly Column[] = [
  { key: "profile", title: "Profile" },
  { key: "state", title: "State", narrowest: 16, style: (cell) => COLOURS.get(cell) },
  { key: "lastAnalysis", title: "Last analysis", narrowest: 13 },
  { key: "tokenAge", title: "Token age" },
  { key: "server", title: "Server", narrowest: 20, leftOut: 1 },
];

function rowOf({ profile, state, server, lastAnalysis, tokenCreatedAt }: TenantReport, now: number): Row {
  const age = (instant: string | null): string | null => (instant === null ? null : durationText(ageOf(instant, now)));
  const analysed = age(lastAnalysis);
  return {
    profile,
    state,
    lastAnalysis: analysed === null ? "not known" : `${analysed} ago`,
    tokenAge: age(tokenCreatedAt) ?? "not known",
    server,
  };
}

async function withDeadline<T>({ clock, stop }: Cli, use: (deadline: Deadline) => Promise<T>): Promise<T> {
  const deadline = new Deadline({ clock, at: null, stops: [stop] });
  try {
    return await use(deadline);
  } finally {
    deadline.release();
  }
}

function examinationOf({ clock, random, output }: Cli, options: Options, access: Access, deadline: Deadline) {
  return {
    ...access,
    clock,
    random,
    log: loggerFor(options, output),
    deadline,
    requestTimeoutSeconds: options.wait,
    waiting: (ms: number) => {
      output.note(`The rate limit is reached. Doctor goes on in ${durationText(ms)}.`);
    },
  };
}

async function show(output: Output, text: string): Promise<void> {
  await unlessReaderIsGone(() => output.write(text));
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

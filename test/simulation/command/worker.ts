import { generate } from "../generate/generate.ts";
import type { Violation } from "../history.ts";
import { realPlugin, warmUp } from "../plugin.ts";
import { shrink } from "../shrink.ts";
import { simulate } from "../simulate.ts";
import type { Scenario } from "../scenario.ts";
import { generateJobScenario } from "../job/generate.ts";
import { runJobScenario } from "../job/run-scenario.ts";
import type { Report, Tally, Work } from "./messages.ts";

const REPORT_EVERY = 20;

function emptyTally(): Tally {
  return { scenarios: 0, polls: 0, delivered: 0, cpuMs: 0 };
}

/** Errors that nobody caught: in a process of its own each of them would have ended the run. */
const strayErrors: unknown[] = [];

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error);
}

function report(message: Report): void {
  process.send?.(message);
}

/** Runs scenarios of the job instead of the connector; they are not made smaller. */
async function workOnJob({ seed, first, step, end, seconds, keepGoing }: Work): Promise<void> {
  // Stacks cost a good part of all the time.
  Error.stackTraceLimit = 0;
  await warmUp();
  const began = performance.now();
  for (let number = first; end === null || number < end; number += step) {
    if (seconds !== null && performance.now() - began > seconds * 1_000) break;
    const cpu = process.cpuUsage();
    const { violations, runs, closings } = await runJobScenario(generateJobScenario(seed, number));
    const { user, system } = process.cpuUsage(cpu);
    report({
      type: "tally",
      tally: { scenarios: 1, polls: runs, delivered: closings, cpuMs: (user + system) / 1_000 },
    });
    const [violation] = violations;
    if (violation === undefined) continue;
    const { invariant, detail } = violation;
    report({
      type: "violation",
      scenario: number,
      violation: { invariant, detail, run: -1 },
      shrunk: null,
      original: null,
    });
    if (!keepGoing) break;
  }
  report({ type: "done" });
}

async function work({
  seed,
  first,
  step,
  end,
  seconds,
  keepGoing,
  replay,
  shrinkSeconds,
  except,
}: Work): Promise<void> {
  // Stacks cost a good part of all the time; a scenario that is run again shows them.
  if (replay === null) Error.stackTraceLimit = 0;
  for (const event of ["unhandledRejection", "uncaughtException"] as const) {
    process.on(event, (error: unknown) => {
      strayErrors.push(error);
    });
  }
  await warmUp();
  const began = performance.now();
  const shrunkInvariants = new Set<string>();
  let tally: Tally = emptyTally();
  let cpu = process.cpuUsage();
  const isOver = (number: number): boolean =>
    (end !== null && number >= end) || (seconds !== null && performance.now() - began > seconds * 1000);

  const send = (): void => {
    const { user, system } = process.cpuUsage(cpu);
    cpu = process.cpuUsage();
    report({ type: "tally", tally: { ...tally, cpuMs: (user + system) / 1_000 } });
    tally = emptyTally();
  };
  const runOne = async (scenario: Scenario, number: number | null): Promise<boolean> => {
    const outcome = await simulate(scenario, realPlugin, { except });
    const [stray] = strayErrors.splice(0);
    if (stray !== undefined) outcome.violations.push({ invariant: "no stray errors", detail: textOf(stray), run: -1 });
    tally.scenarios++;
    tally.polls += outcome.polls;
    tally.delivered += outcome.delivered;
    const [violation] = outcome.violations;
    if (violation === undefined) return true;
    report({
      type: "violation",
      scenario: number,
      violation,
      shrunk: await smaller(scenario, violation),
      original: scenario,
    });
    return false;
  };
  const smaller = async (scenario: Scenario, { invariant }: Violation): Promise<Scenario | null> => {
    if (shrunkInvariants.has(invariant) || shrinkSeconds === 0 || invariant === "no stray errors") return null;
    shrunkInvariants.add(invariant);
    return shrink(scenario, { invariant, except }, realPlugin, shrinkSeconds * 1000);
  };

  if (replay !== null) await runOne(replay, null);
  else {
    for (let number = first; !isOver(number); number += step) {
      const fine = await runOne(generate(seed, number), number);
      if (!fine && !keepGoing) break;
      if (tally.scenarios < REPORT_EVERY) continue;
      send();
    }
  }
  send();
  report({ type: "done" });
}

// The process that waits for the reports is gone.
process.on("disconnect", () => {
  process.exit();
});

process.on("message", (message: Work) => {
  (message.job ? workOnJob(message) : work(message)).then(
    () => {
      process.disconnect();
    },
    (error: unknown) => {
      process.stderr.write(`${textOf(error)}\n`);
      process.exit(2);
    },
  );
});

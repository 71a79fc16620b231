import { Readable, Writable } from "node:stream";
import { followUpFindings } from "../../../jobs/follow-up-findings.ts";
import { openService } from "../../../src/connection.ts";
import { manifest } from "../../../src/generated/manifest.ts";
import type { PluginModules } from "../../../src/runtime/modules.ts";
import type { JobAlert, Message, ResultMessage } from "../../../src/runtime/protocol.ts";
import { run } from "../../../src/runtime/run.ts";
import { drive, Process, VirtualTime } from "../clock.ts";
import { mix, Random } from "../random.ts";
import { lendTimers } from "../timers.ts";
import { DAY, HOUR } from "../world.ts";
import { hostClockOf, JobHost } from "./host.ts";
import { type AskedChange, JobChecker, type JobViolation } from "./checks.ts";
import type { JobScenario, ScenarioRun } from "./scenario.ts";
import { jobTenant } from "./tenant.ts";
import { Truth } from "./truth.ts";

export interface JobOutcome {
  readonly violations: readonly JobViolation[];
  readonly runs: number;
  readonly closings: number;
  readonly reopenings: number;
  /** What each run said, for people. */
  readonly log: readonly string[];
}

/** Runs the job through a scenario on a virtual clock, and checks it against the truth. */
export async function runJobScenario(scenario: JobScenario): Promise<JobOutcome> {
  const truth = new Truth(scenario);
  const host = new JobHost(truth);
  const checker = new JobChecker(truth, host);
  const time = new VirtualTime(mix(scenario.seed, 5));
  const acts = [...scenario.acts];
  const log: string[] = [];
  for (const plan of scenario.runs) {
    time.skipTo(Math.max(plan.at, time.now + 1_000));
    while (acts[0] !== undefined && acts[0].at <= time.now) {
      const { alert, act, at } = acts.shift()!;
      host.act(alert, act, at);
    }
    if (plan.state !== undefined) host.state = plan.state === "lost" ? null : { version: 1, tenant: 17 };
    log.push(await oneRun(truth, host, checker, time, plan));
    if (checker.violations.length > 0) break;
  }
  if (checker.violations.length === 0) checker.end();
  const alerts = [...host.alerts.values()];
  const sum = (count: "closings" | "reopenings"): number => alerts.reduce((all, alert) => all + alert[count], 0);
  const { violations } = checker;
  return { violations, runs: scenario.runs.length, closings: sum("closings"), reopenings: sum("reopenings"), log };
}

/** How a run ended, and whether the tenant refused a request of it. */
interface RunEnd {
  result?: ResultMessage;
  stderr: string;
  isRefused: boolean;
}

async function oneRun(
  truth: Truth,
  host: JobHost,
  checker: JobChecker,
  time: VirtualTime,
  plan: ScenarioRun,
): Promise<string> {
  const start = time.now;
  const process = new Process(time);
  const restore = lendTimers(process);
  const alerts = host.request(start, plan);
  const changes: AskedChange[] = [];
  const end: RunEnd = { stderr: "", isRefused: false };
  let messages = 0;
  let die = (): void => undefined;
  const death = new Promise<void>((resolve) => {
    die = resolve;
  });
  const take = (message: Message): void => {
    if (!process.alive) return;
    if (plan.killAfter !== undefined && message.type !== "log" && messages++ >= plan.killAfter) {
      process.kill();
      die();
      return;
    }
    if (message.type === "alert_change") changes.push({ message, moment: time.now });
    if (message.type === "result") end.result = message;
    host.take(message, plan, time.now);
  };
  const work = startJob(truth, host, { process, time, plan }, alerts, take, end);
  const ended = await drive(time, Promise.race([work, death]), start + 12 * HOUR);
  const wasKilled = !process.alive;
  process.kill();
  restore();
  checker.run(changes, alerts, { plan, span: [start, time.now], isRefused: end.isRefused });
  if (!wasKilled && (!ended || end.result === undefined || end.stderr !== "")) {
    checker.broken(`the run of day ${(start / DAY).toFixed(2)} ended without a result ${end.stderr}`);
  }
  const said = changes.map(({ message: { alertId, change, reason } }) => `  ${change} ${alertId} (${reason})`);
  return [`day ${(start / DAY).toFixed(2)}${wasKilled ? " killed" : ""}: ${end.result?.message ?? ""}`, ...said].join(
    "\n",
  );
}

function startJob(
  truth: Truth,
  host: JobHost,
  { process, time, plan: { timeMs } }: { process: Process; time: VirtualTime; plan: ScenarioRun },
  alerts: readonly JobAlert[],
  take: (message: Message) => void,
  end: RunEnd,
): Promise<number> {
  const epoch = hostClockOf(truth, time.now) - time.now;
  const transport = jobTenant(
    truth,
    process,
    () => time.now,
    () => {
      end.isRefused = true;
    },
  );
  const job = followUpFindings((context, parameters) => openService(context, parameters, transport));
  const request = {
    protocol: 1,
    kind: "job",
    name: job.name,
    run: {
      id: "r",
      deadline: timeMs === undefined ? null : new Date(epoch + time.now + timeMs).toISOString(),
      test: false,
      logLevel: "error",
    },
    parameters: {
      Server: "https://tenant.simulation.test",
      "Token ID": "3e4b0c2e-6b0f-4c39-8a13-0d3f0a7f6f11",
      "Token Key": "key",
      "Close Alerts": true,
    },
    alerts,
    state: host.state,
  };
  return run({
    stdin: Readable.from([Buffer.from(JSON.stringify(request))]),
    stdout: sink((line) => {
      take(JSON.parse(line) as Message);
    }),
    stderr: sink((line) => {
      end.stderr += line;
    }),
    clock: process.clock(epoch),
    random: new Random(truth.scenario.seed, time.now).next,
    manifest,
    modules: { jobs: { [job.name]: () => Promise.resolve({ default: job }) } } as unknown as PluginModules,
    stop: new AbortController().signal,
  });
}

function sink(onLine: (line: string) => void): Writable {
  let rest = "";
  return new Writable({
    decodeStrings: false,
    write(chunk: string | Buffer, _encoding, next) {
      const lines = (rest + String(chunk)).split("\n");
      rest = lines.pop() ?? "";
      lines.forEach(onLine);
      next();
    },
  });
}

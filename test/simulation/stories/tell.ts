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
import { hostClockOf, StoryHost } from "./host.ts";
import { type AskedChange, StoryJudge, type StoryViolation } from "./judge.ts";
import type { Story, StoryRun } from "./story.ts";
import { storyTenant } from "./tenant.ts";
import { Truth } from "./truth.ts";

export interface StoryOutcome {
  readonly violations: readonly StoryViolation[];
  readonly runs: number;
  readonly closings: number;
  readonly reopenings: number;
  /** What each run said, for people. */
  readonly log: readonly string[];
}

/** Runs the job through a story on a virtual clock, and judges it by the truth. */
export async function tellStory(story: Story): Promise<StoryOutcome> {
  const truth = new Truth(story);
  const host = new StoryHost(truth);
  const judge = new StoryJudge(truth, host);
  const time = new VirtualTime(mix(story.seed, 5));
  const acts = [...story.acts];
  const log: string[] = [];
  for (const plan of story.runs) {
    time.skipTo(Math.max(plan.at, time.now + 1_000));
    while (acts[0] !== undefined && acts[0].at <= time.now) {
      const { alert, act, at } = acts.shift()!;
      host.act(alert, act, at);
    }
    if (plan.state !== undefined) host.state = plan.state === "lost" ? null : { version: 1, tenant: 17 };
    log.push(await oneRun(truth, host, judge, time, plan));
    if (judge.violations.length > 0) break;
  }
  if (judge.violations.length === 0) judge.end();
  const alerts = [...host.alerts.values()];
  const sum = (count: "closings" | "reopenings"): number => alerts.reduce((all, alert) => all + alert[count], 0);
  const { violations } = judge;
  return { violations, runs: story.runs.length, closings: sum("closings"), reopenings: sum("reopenings"), log };
}

async function oneRun(
  truth: Truth,
  host: StoryHost,
  judge: StoryJudge,
  time: VirtualTime,
  plan: StoryRun,
): Promise<string> {
  const start = time.now;
  const process = new Process(time);
  const restore = lendTimers(process);
  const alerts = host.request(start);
  const changes: AskedChange[] = [];
  const end: { result?: ResultMessage; stderr: string } = { stderr: "" };
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
  judge.run(changes, alerts, { plan, span: [start, time.now] });
  if (!wasKilled && (!ended || end.result === undefined || end.stderr !== "")) {
    judge.broken(`the run of day ${(start / DAY).toFixed(2)} ended without a result ${end.stderr}`);
  }
  const said = changes.map(({ message: { alertId, change, reason } }) => `  ${change} ${alertId} (${reason})`);
  return [`day ${(start / DAY).toFixed(2)}${wasKilled ? " killed" : ""}: ${end.result?.message ?? ""}`, ...said].join(
    "\n",
  );
}

function startJob(
  truth: Truth,
  host: StoryHost,
  { process, time, plan: { timeMs } }: { process: Process; time: VirtualTime; plan: StoryRun },
  alerts: readonly JobAlert[],
  take: (message: Message) => void,
  end: { stderr: string },
): Promise<number> {
  const epoch = hostClockOf(truth, time.now) - time.now;
  const transport = storyTenant(truth, process, () => time.now);
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
    random: new Random(truth.story.seed, time.now).next,
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

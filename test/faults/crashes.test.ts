import { beforeAll, describe, expect, it } from "@jest/globals";
import { seededRandom, type Random } from "../../sandbox/tenant/dataset/random.ts";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { TestHost, type Death, type HostOptions, type Poll, type StateIsWritten } from "../support/host.ts";
import { builtPackage } from "../support/package.ts";
import { builtProgram } from "../support/program.ts";
import { startTenant } from "../support/tenant.ts";
import { mapSome } from "./some.ts";

const dataset = { environments: 2, findingTypes: 2, findingsPerPair: 20 };
const MINUTE_MS = 60_000;

/** How the plugin runs: what it does until it is killed is the same, but only a process can be killed by the system. */
type Kind = "process" | "program";
/** Milliseconds that no run takes. */
const LONGER_THAN_A_RUN: Record<Kind, number> = { process: 300, program: 40 };
let plugins: Record<Kind, Pick<HostOptions, "plugin" | "program">>;

beforeAll(async () => {
  const { plugin } = await builtPackage();
  plugins = { process: { plugin }, program: { program: await builtProgram() } };
}, 120_000);

async function start(writesState: StateIsWritten, kind: Kind): Promise<{ tenant: Tenant; host: TestHost }> {
  const tenant = await startTenant({ dataset, maxPageSize: 7 });
  return { tenant, host: new TestHost(tenant, { ...plugins[kind], writesState }) };
}

function run(host: TestHost, dies?: Death): Promise<Poll> {
  return host.poll({ run: { maxEventsPerAlert: 4 }, ...(dies && { dies }) });
}

/** An analysis that finds something new: now, at the time of an earlier one, or a little late. */
function grow(tenant: Tenant, random: Random, analysed: string[]): void {
  const environment = random.pick(tenant.data.environments).id;
  const types = random.sample(tenant.data.findingTypes(environment), 1 + random.below(2));
  const newest = analysed.at(-1) ?? new Date().toISOString();
  const late = new Date(Date.parse(newest) - random.below(50) * MINUTE_MS).toISOString();
  const createdAt = random.pick([new Date().toISOString(), newest, late]);
  if (createdAt > newest) analysed.push(createdAt);
  const findings = Object.fromEntries(types.map((type) => [type, 1 + random.below(9)]));
  tenant.control.analyse(environment, { findings, createdAt });
}

/** A point of a run: a byte of its output, an alert, or a moment from its start to beyond its usual end. */
function somewhere(random: Random, bytes: number, kind: Kind): Death {
  const between = random.next() < 0.5;
  return random.pick<Death>([
    { bytes: 1 + random.below(Math.ceil(bytes * 1.1)) },
    { alerts: 1 + random.below(12), between },
    { ms: random.below(LONGER_THAN_A_RUN[kind]) },
  ]);
}

interface Scenario {
  /** Default: the program. */
  kind?: Kind;
  kills: number;
  /** When the tenant finds something new; default: before every run, and in the middle of some. */
  grows?: "after a run that ended" | "never";
}

/** Runs that die somewhere, then one that lives; gives the host and how many died. */
async function live(seed: number, written: StateIsWritten, { kind = "program", kills, grows }: Scenario) {
  const { tenant, host } = await start(written, kind);
  const random = seededRandom(seed);
  const analysed: string[] = [];
  let bytes = 40_000;
  let killed = 0;
  for (let runs = 0; killed < kills && runs < kills * 3; runs++) {
    if (grows === undefined && random.next() < 0.3) {
      const effect = {
        kind: "run" as const,
        run: () => {
          grow(tenant, random, analysed);
        },
      };
      tenant.control.fault({ path: "details", from: 1 + random.below(6), times: 1, effect });
    }
    const poll = await run(host, somewhere(random, bytes, kind));
    const died = poll.status === "died";
    tenant.control.clearFaults();
    bytes = Math.max(1_000, poll.bytes);
    killed += died ? 1 : 0;
    if (grows === undefined || (grows === "after a run that ended" && !died)) grow(tenant, random, analysed);
  }
  await run(host);
  const { stored } = host;
  return { missing: stored.missing(tenant), repeated: stored.repeated.length, findings: stored.size, killed };
}

interface Case extends Scenario {
  written: StateIsWritten;
  seed: number;
}

/** One process is killed by the system; how many more points of a run are tried is up to the simulation. */
const cases: Case[] = [
  { written: "with the alert", seed: 1, kills: 7, kind: "process" },
  { written: "with the alert", seed: 2, kills: 10 },
  { written: "with the alert", seed: 3, kills: 10 },
  { written: "after the alert", seed: 4, kills: 8, grows: "after a run that ended" },
  { written: "at the end", seed: 5, kills: 8, grows: "after a run that ended" },
  { written: "never", seed: 6, kills: 8, grows: "never" },
  { written: "after the alert", seed: 7, kills: 7 },
  { written: "at the end", seed: 8, kills: 7 },
  { written: "never", seed: 9, kills: 7 },
];

describe("host and plugin killed at any point of many runs", () => {
  let lives: (Case & Awaited<ReturnType<typeof live>>)[];
  const where = (holds: (one: Case) => boolean) => lives.filter(holds);

  beforeAll(async () => {
    lives = await mapSome(cases, 3, async (one) => ({ ...one, ...(await live(one.seed, one.written, one)) }));
  }, 240_000);

  it("lose nothing, whenever the host writes its state, while the tenant adds findings", () => {
    for (const { seed, missing, killed, kills, findings } of lives) {
      expect({ seed, missing, killed }).toEqual({ seed, missing: 0, killed: kills });
      expect(findings).toBeGreaterThanOrEqual(80);
    }
  });

  it("leave each finding stored exactly once where alert and state are written together", () => {
    const together = where(({ written }) => written === "with the alert");
    expect(together.map(({ repeated }) => repeated)).toEqual([0, 0, 0]);
  });

  it("leave no finding twice where they are not: an alert that comes again is known by its id, unless it has grown", () => {
    const apart = where(({ written, grows }) => written !== "with the alert" && grows !== undefined);
    expect(apart.map(({ repeated }) => repeated)).toEqual([0, 0, 0]);
  });
});

it("a host that writes its state before the alert loses that alert alone, which the contract rules out", async () => {
  const { tenant, host } = await start("before the alert", "program");
  await run(host, { alerts: 3, between: true });
  await run(host);
  expect(host.stored.missing(tenant)).toBe(4);
});

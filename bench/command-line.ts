import { join, resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { buildNpmFiles, COMMAND_LINE } from "../src/packaging/npm.ts";
import { median } from "./figures.ts";
import { ENFORCED_PER_SECOND, PAUSE_MS } from "./measure.ts";
import { measureProcess } from "./measured-process.ts";
import { TenantProcess } from "./tenant-process.ts";
import { LATENCY_MS } from "./workloads.ts";

/** What one command costs: medians of several processes. */
export interface CommandCost {
  work: string;
  requests: number;
  /** From the start of the process until its first request had arrived. */
  startMs: number;
  wallMs: number;
  cpuMs: number;
  peakBytes: number;
  writtenBytes: number;
  lines: number;
  /** Most that it may cost. */
  limits: CommandLimits;
  /** Names of the limits that it goes over. */
  missed: string[];
}

export type CommandLimits = Partial<Record<"startMs" | "peakBytes", number>>;

interface CommandWork {
  work: string;
  args: readonly string[];
  /** Findings of the tenant. */
  findings: number;
  streams: Streams;
  limits: CommandLimits;
  rounds: number;
}

type Streams = Record<"environments" | "findingTypes", number>;

const STREAMS: Streams = { environments: 4, findingTypes: 5 };
/** The ids of a stream are held while it is read, so one large stream takes more memory than many small ones. */
const ONE_STREAM: Streams = { environments: 1, findingTypes: 1 };
/** Whatever the number of findings: they are written as they come. */
const STREAMING_BYTES = 130e6;
const START_MS = 150;

const rootDir = resolve(import.meta.dirname, "..");

function works(rounds: number, sizes: readonly number[]): CommandWork[] {
  return [
    { work: "ping", args: ["ping"], findings: 20, streams: STREAMS, limits: { startMs: START_MS }, rounds },
    ...sizes.map((findings) => ({
      work: `findings, ${findings.toLocaleString("en")} as JSON lines`,
      args: ["findings", "--json"],
      findings,
      streams: findings < 1e6 ? STREAMS : ONE_STREAM,
      limits: { peakBytes: STREAMING_BYTES },
      rounds: findings < 1e6 ? rounds : 1,
    })),
  ];
}

/**
 * Measures the built command line as whole processes.
 *
 * @param scratch - folder for the build
 * @param sizes - how many findings to stream; a million takes minutes
 */
export async function measureCommandLine(
  scratch: string,
  { rounds, sizes, tell }: { rounds: number; sizes: readonly number[]; tell: (text: string) => void },
): Promise<CommandCost[]> {
  const folder = join(scratch, "npm");
  await buildNpmFiles(rootDir, folder);
  const costs: CommandCost[] = [];
  for (const work of works(rounds, sizes)) {
    tell(`command line: ${work.work}`);
    costs.push(await measure(join(folder, COMMAND_LINE), work));
  }
  return costs;
}

async function measure(
  program: string,
  { work, args, findings, streams, limits, rounds }: CommandWork,
): Promise<CommandCost> {
  const findingsPerPair = findings / streams.environments / streams.findingTypes;
  const dataset = { kind: "uniform" as const, ...streams, findingsPerPair };
  const rateLimit = { perSecond: ENFORCED_PER_SECOND };
  const tenant = await TenantProcess.start({ dataset, latencyMs: LATENCY_MS, analysisStatus: true, rateLimit });
  try {
    const runs: Awaited<ReturnType<typeof runOnce>>[] = [];
    for (let round = 0; round < rounds; round++) runs.push(await runOnce(program, args, tenant));
    const of = (figure: keyof (typeof runs)[number]): number => median(runs.map((run) => run[figure]));
    const cost = {
      requests: of("requests"),
      startMs: of("startMs"),
      wallMs: of("wallMs"),
      cpuMs: of("cpuMs"),
      peakBytes: of("peakBytes"),
      writtenBytes: of("writtenBytes"),
      lines: of("lines"),
    };
    return { work, ...cost, limits, missed: missedBy(cost, limits) };
  } finally {
    await tenant.close();
  }
}

export function missedBy(cost: Pick<CommandCost, keyof CommandLimits>, limits: CommandLimits): string[] {
  const names = Object.keys(limits) as (keyof CommandLimits)[];
  return names.filter((name) => !(cost[name] <= (limits[name] ?? Infinity)));
}

async function runOnce(program: string, args: readonly string[], tenant: TenantProcess) {
  const { url, tokenId, tokenKey } = tenant.address;
  await delay(PAUSE_MS);
  const command = [program, ...args, "--server", url, "--token-id", tokenId] as const;
  const { cost, output, code } = await measureProcess(command, tokenKey, countOutput);
  if (code !== 0) throw new Error(`The command ${args.join(" ")} ended with exit code ${code ?? "none"}.`);
  const { requests, firstRequestAt } = await tenant.lap();
  const { startedAt, wallMs, userMs, systemMs, peakBytes } = cost;
  const startMs = (firstRequestAt ?? NaN) - startedAt;
  return { requests, startMs, wallMs, cpuMs: userMs + systemMs, peakBytes, ...output };
}

async function countOutput(stream: AsyncIterable<Buffer>): Promise<Pick<CommandCost, "writtenBytes" | "lines">> {
  const seen = { writtenBytes: 0, lines: 0 };
  for await (const chunk of stream) {
    seen.writtenBytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) seen.lines += 1;
  }
  return seen;
}

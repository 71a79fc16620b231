import { setTimeout as delay } from "node:timers/promises";
import type { Json, Request } from "../src/runtime/protocol.ts";
import { runPlugin } from "./plugin-run.ts";
import { TenantProcess } from "./tenant-process.ts";
import type { TenantAddress, TenantSettings } from "./tenant-messages.ts";

/** What one process of the plugin cost. */
export interface Cost {
  requests: number;
  connections: number;
  /** Requests that were answered 429. */
  refused: number;
  /** The largest number of requests in any second. */
  busiestSecond: number;
  /** From the start of the process to its end. */
  wallMs: number;
  /** User and system time. */
  cpuMs: number;
  peakBytes: number;
  /** From the service, headers included. */
  receivedBytes: number;
  /** To the host. */
  writtenBytes: number;
  /** From the start of the process until its first request had arrived. */
  startMs: number;
  /** Findings that were delivered as events. */
  findings: number;
  /** The state as JSON. */
  stateBytes: number;
}

/** The service's documented limit; the tenant enforces it in every measurement. */
export const ENFORCED_PER_SECOND = 55;
/** Between two processes, so that each finds the tenant's limit unused. */
const PAUSE_MS = 1_050;

/** Runs the package against a tenant of its own and says what each run cost. */
export class Workbench {
  readonly #folder: string;
  readonly #tenant: TenantProcess;

  private constructor(folder: string, tenant: TenantProcess) {
    this.#folder = folder;
    this.#tenant = tenant;
  }

  /** @param folder - of the unpacked package */
  static async open(folder: string, settings: Omit<TenantSettings, "rateLimit">): Promise<Workbench> {
    const rateLimit = { perSecond: ENFORCED_PER_SECOND };
    return new Workbench(folder, await TenantProcess.start({ ...settings, rateLimit }));
  }

  get tenant(): TenantAddress {
    return this.#tenant.address;
  }

  async run(request: Request): Promise<{ cost: Cost; state: Json }> {
    await delay(PAUSE_MS);
    const { startedAt, wallMs, userMs, systemMs, peakBytes, outBytes, result } = await runPlugin(this.#folder, request);
    const lap = await this.#tenant.lap();
    const { findings } = (result.json ?? {}) as { findings?: number };
    const state = result.checkpoint ?? null;
    const cost = {
      requests: lap.requests,
      connections: lap.connections,
      refused: lap.refused,
      busiestSecond: lap.busiestSecond,
      wallMs,
      cpuMs: userMs + systemMs,
      peakBytes,
      receivedBytes: lap.receivedBytes,
      writtenBytes: outBytes,
      startMs: (lap.firstRequestAt ?? NaN) - startedAt,
      findings: findings ?? 0,
      stateBytes: state === null ? 0 : Buffer.byteLength(JSON.stringify(state)),
    };
    return { cost, state };
  }

  close(): Promise<void> {
    return this.#tenant.close();
  }
}

/** The median of each figure by itself. */
export function medianCost(costs: readonly Cost[]): Cost {
  const [first] = costs;
  if (first === undefined) throw new Error("Nothing was measured.");
  const keys = Object.keys(first) as (keyof Cost)[];
  return Object.fromEntries(keys.map((key) => [key, median(costs.map((cost) => cost[key]))])) as unknown as Cost;
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low = NaN, high = NaN] = [sorted[sorted.length - 1 - middle], sorted[middle]];
  return (low + high) / 2;
}

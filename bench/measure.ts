import { setTimeout as delay } from "node:timers/promises";
import type { Json, Request } from "../src/runtime/protocol.ts";
import type { Cost } from "./figures.ts";
import { runPlugin } from "./plugin-run.ts";
import { TenantProcess } from "./tenant-process.ts";
import type { TenantAddress, TenantSettings } from "./tenant-messages.ts";

/** The service's documented limit; the tenant enforces it in every measurement. */
export const ENFORCED_PER_SECOND = 55;
/** Between two processes, so that each finds the tenant's limit unused. */
export const PAUSE_MS = 1_050;

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
    const { startedAt, wallMs, userMs, systemMs, peakBytes, output } = await runPlugin(this.#folder, request);
    const lap = await this.#tenant.lap();
    const { findings } = output.result.json ?? {};
    const state = output.result.checkpoint ?? null;
    const cost = {
      requests: lap.requests,
      connections: lap.connections,
      refused: lap.refused,
      wallMs,
      cpuMs: userMs + systemMs,
      peakBytes,
      receivedBytes: lap.receivedBytes,
      writtenBytes: output.bytes,
      startMs: (lap.firstRequestAt ?? NaN) - startedAt,
      findings: typeof findings === "number" ? findings : 0,
      alerts: output.alerts,
      patchCharacters: output.patchCharacters,
      stateCharacters: state === null ? 0 : JSON.stringify(state).length,
    };
    return { cost, state };
  }

  /** What the tenant has seen until now counts for no run. */
  async forget(): Promise<void> {
    await this.#tenant.lap();
  }

  close(): Promise<void> {
    return this.#tenant.close();
  }
}

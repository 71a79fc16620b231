import { once } from "node:events";
import { rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { forgetHost, openHost, type Host } from "../soar/index.ts";
import { messageOf } from "../../src/text.ts";
import type { SpokenDialect } from "../tenant/index.ts";
import { openBrowser } from "./open-browser.ts";
import { parametersOf, prepareHost, type Preparation, type TenantParameters } from "./prepare.ts";
import { startConsole } from "./server/index.ts";
import { startSimulation, type Simulation } from "./server/simulation/simulation.ts";

export interface ConsoleJob {
  /** Folder of everything that is kept, locked for this job. */
  data: string;
  /** The built package, which a new host gets. */
  archive: string;
  port: number;
  /** A tenant to poll; null starts a simulated one. */
  instance: TenantParameters | null;
  /** Of the first connector, besides those of the instance. */
  fields: Preparation["fields"];
  /** Of a simulated tenant. */
  dialect?: SpokenDialect;
  /** Forgets everything that was kept. */
  fresh: boolean;
  /** Installs and configures nothing. */
  empty: boolean;
  /** Opens the URL in a browser. */
  open: boolean;
  signal: AbortSignal;
  write: (line: string) => void;
}

const TENANT_FILE = "tenant.json";
const TOUR_FILE = "tour.json";
const OPENED_FILE = "open.html";

/** Serves the console until the signal. @throws Error that says what to do when it cannot start. */
export async function runConsole(job: ConsoleJob): Promise<void> {
  const { data, port, signal, write } = job;
  if (job.fresh) forget(data);
  const host = openHost({ data });
  const closing: (() => Promise<void> | void)[] = [() => host.close()];
  try {
    const simulation = await simulated(job);
    if (simulation !== null) closing.push(() => simulation.close());
    const tourFile = join(data, TOUR_FILE);
    const builds = dirname(job.archive);
    const served = await startConsole({ host, port, tourFile, builds, ...(simulation && { simulation }) });
    closing.push(() => served.close());
    host.start();
    if (simulation !== null) write(`Simulated tenant at ${simulation.tenant.url}.`);
    write(`\n  ${served.url}\n\nThe console keeps everything in ${data}. Ctrl-C ends it.`);
    if (job.open) closing.push(openBrowser({ url: served.entrance, file: join(data, OPENED_FILE), write }));
    const instance = simulation === null ? job.instance : parametersOf(simulation.tenant);
    if (!job.empty && instance !== null) {
      const name = simulation === null ? instance.Server : "Simulated tenant";
      await prepare(host, { ...job, name, instance });
    }
    if (!signal.aborted) await once(signal, "abort");
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

async function simulated({ data, instance, dialect, write }: ConsoleJob): Promise<Simulation | null> {
  if (instance !== null) return null;
  const simulation = await startSimulation({ file: join(data, TENANT_FILE), ...(dialect && { dialect }) });
  if (dialect !== undefined && dialect !== simulation.dialect) {
    write(
      `The simulated tenant of this folder keeps its dialect, ${simulation.dialect}. For one that speaks ${dialect}, start with --fresh.`,
    );
  }
  return simulation;
}

/** The console works without it, so a failure is reported and ends nothing. */
async function prepare(host: Host, job: ConsoleJob & Preparation): Promise<void> {
  try {
    for (const line of await prepareHost(host, job, job.signal)) job.write(line);
  } catch (error) {
    job.write(`The first set-up failed: ${messageOf(error)} Finish it in the console.`);
  }
}

function forget(data: string): void {
  forgetHost(data);
  for (const file of [TENANT_FILE, TOUR_FILE, OPENED_FILE]) rmSync(join(data, file), { force: true });
}

import { type Clock, systemClock } from "../clock.ts";
import type { Access } from "./access.ts";
import { Backup } from "./backup.ts";
import type { Change } from "./changes/change.ts";
import { ChronicleApi } from "./chronicle-api.ts";
import { DeployError } from "./failures.ts";
import { LegacyApi } from "./legacy-api.ts";
import type { PlannedStep } from "./plan.ts";
import type { PlatformApi } from "./platform-api.ts";
import { PlatformClient } from "./platform-client.ts";
import { NEED_PACKAGE, type Step, STEPS } from "./steps.ts";
import { type Target, targetName } from "./target.ts";

export interface DeployOptions {
  target: Target;
  access: Access;
  /** What is done, in this order. */
  steps: (api: PlatformApi) => PlannedStep[];
  /** Show what would change, and end. */
  dryRun: boolean;
  /** What is said when everything was done. */
  closing: string;
  /** The folder that holds the backups of all runs. */
  backups: string;
  print: (line: string) => void;
  printError: (line: string) => void;
  /** Whether to continue. */
  confirm: (question: string) => Promise<boolean>;
  /** Longest wait for an answer; a package with Node.js is large. Default 600. */
  timeoutSeconds?: number;
  clock?: Clock;
}

type OpenChange = Change & { step: Step; apply: NonNullable<Change["apply"]> };

/**
 * Takes the steps to a platform: shows what will change, asks, saves what is replaced, and changes it. A failed step is
 * reported, and the next one runs anyway unless it needs the package. Run twice, the second time finds nothing to do.
 *
 * @returns whether no step failed
 * @throws DeployError when the platform does not let the command in
 */
export async function deploy(options: DeployOptions): Promise<boolean> {
  const { target, access, timeoutSeconds = 600 } = options;
  const Api = target.generation === "legacy" ? LegacyApi : ChronicleApi;
  const client = new PlatformClient(target.address, access, Api.wording, timeoutSeconds);
  const api = new Api(client, target.instance);
  try {
    // A package is large: it is not sent before the platform lets the command in.
    await api.checkAccess();
    const failed = new Set<Step>();
    const changes = await showPlan(options, api, failed);
    await makeChanges(options, changes, failed);
    reportFailed(options, failed);
    return failed.size === 0;
  } finally {
    client.close();
  }
}

async function showPlan(options: DeployOptions, api: PlatformApi, failed: Set<Step>): Promise<OpenChange[]> {
  const { print } = options;
  const open: OpenChange[] = [];
  print(`On ${targetName(options.target)}:`);
  for (const { step, plan } of options.steps(api)) {
    const changes = await attempt(options, step, failed, plan);
    for (const { subject, effect, details } of changes ?? []) {
      print(`  ${subject}: ${effect}`);
      for (const detail of details) print(`    ${detail}`);
    }
    for (const change of changes ?? []) if (change.apply !== null) open.push({ ...change, step, apply: change.apply });
  }
  return open;
}

async function makeChanges(options: DeployOptions, changes: readonly OpenChange[], failed: Set<Step>): Promise<void> {
  const { target, backups, clock = systemClock, dryRun, print, confirm } = options;
  if (changes.length === 0) {
    print(failed.size === 0 ? "Nothing to do." : "Nothing else to do.");
    return;
  }
  if (dryRun) {
    print("Nothing was changed (--dry-run).");
    return;
  }
  if (!(await confirm("Continue?"))) {
    print("Nothing was changed.");
    return;
  }
  const backup = new Backup(backups, targetName(target), clock.now(), (folder) => {
    print(`  What is replaced is saved in ${folder}. --restore ${folder} puts it back.`);
  });
  for (const { step, subject, save, apply } of changes) {
    const done = await attempt(options, step, failed, async () => {
      await save?.(backup);
      await apply();
      return true;
    });
    if (done) print(`  ${subject}: done.`);
  }
  if (failed.size === 0) print(options.closing);
}

/** What the step returns; null after a failure, which it reports, and when it needs a package that failed. */
async function attempt<T>(
  { printError }: DeployOptions,
  step: Step,
  failed: Set<Step>,
  act: () => Promise<T>,
): Promise<T | null> {
  if (failed.has("package") && NEED_PACKAGE.has(step)) {
    failed.add(step);
    return null;
  }
  try {
    return await act();
  } catch (error) {
    if (!(error instanceof DeployError)) throw error;
    failed.add(step);
    printError(`${step}: ${error.message}`);
    return null;
  }
}

function reportFailed({ printError }: DeployOptions, failed: ReadonlySet<Step>): void {
  if (failed.size === 0) return;
  const names = STEPS.filter((step) => failed.has(step)).join(",");
  printError(`Not done: ${names}. Run the command again with --only ${names}.`);
}

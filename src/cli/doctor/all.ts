import type { Deadline } from "../../deadline.ts";
import { secretOf } from "../../service/credentials.ts";
import type { Cli } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";
import { CredentialsError } from "../failures.ts";
import { type Access, readProfile } from "../profiles/profile.ts";
import type { ProfileStore } from "../profiles/store.ts";
import type { CheckReport, Diagnosis } from "./doctor.ts";

/** What doctor finds out about the tenant of one profile. */
export interface TenantReport {
  readonly profile: string;
  /** Null when the profile cannot be used. */
  readonly server: string | null;
  readonly state: "ok" | "warnings" | "cannot run" | "unusable profile";
  readonly canRun: boolean;
  /** RFC 3339; null when the service does not tell. */
  readonly lastAnalysis: string | null;
  /** When the API token was made, RFC 3339; null when the service does not tell. */
  readonly tokenCreatedAt: string | null;
  /** The first problem, with what to do about it; null without any. */
  readonly problem: string | null;
  readonly exitCode: ExitCode;
  readonly checks: readonly CheckReport[];
}

/** Tenants that are examined at the same time. */
const AT_ONCE = 4;

/**
 * Examines the tenants of all profiles, several at a time, in the order of the profiles.
 *
 * @param examine - does so for one tenant
 */
export async function* examineAll(
  cli: Pick<Cli, "output">,
  store: ProfileStore,
  deadline: Deadline,
  examine: (access: Access) => Promise<Diagnosis>,
): AsyncGenerator<TenantReport> {
  const waiting = (await store.names()).map((name) => () => examineOne(cli, store, name, deadline, examine));
  const running: Promise<TenantReport>[] = [];
  for (const start of waiting) {
    running.push(start());
    // Nobody waits for it yet.
    running.at(-1)?.catch(() => undefined);
    if (running.length < AT_ONCE) continue;
    const first = running.shift();
    if (first !== undefined) yield await first;
  }
  for (const rest of running) yield await rest;
}

async function examineOne(
  { output }: Pick<Cli, "output">,
  store: ProfileStore,
  profile: string,
  deadline: Deadline,
  examine: (access: Access) => Promise<Diagnosis>,
): Promise<TenantReport> {
  try {
    const access = await readProfile(store.pathOf(profile), deadline.signal);
    output.protect(secretOf(access.credentials).reveal());
    return reportOf(profile, access.server, await examine(access));
  } catch (error) {
    if (!(error instanceof CredentialsError)) throw error;
    const unknown = { server: null, lastAnalysis: null, tokenCreatedAt: null, canRun: false, checks: [] };
    return { ...unknown, profile, state: "unusable profile", problem: error.message, exitCode: error.exitCode };
  }
}

function reportOf(profile: string, server: string, { canRun, checks }: Diagnosis): TenantReport {
  const problems = checks.filter(({ status }) => status === "failed" || status === "warning");
  const worst = problems.find(({ status, required }) => status === "failed" && required) ?? problems[0];
  const fact = (check: string, name: string): string | null => {
    const value = checks.find((each) => each.name === check)?.facts[name];
    return typeof value === "string" ? value : null;
  };
  return {
    profile,
    server,
    state: canRun ? (problems.length === 0 ? "ok" : "warnings") : "cannot run",
    canRun,
    lastAnalysis: fact("analysis", "completedAt"),
    tokenCreatedAt: fact("token-age", "createdAt"),
    problem: worst === undefined ? null : [`${worst.title}:`, worst.summary, worst.fix ?? ""].join(" ").trim(),
    exitCode: canRun ? ExitCode.yes : ExitCode.no,
    checks,
  };
}

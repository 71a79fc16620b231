import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { DateTime } from "luxon";
import type { SpokenDialect } from "../../../tenant/index.ts";
import type { TenantCommand } from "../../contract/index.ts";

/** Commands that change what the tenant knows; the others change only how it behaves. */
export type DataCommand = Extract<
  TenantCommand,
  {
    do:
      | "analyse"
      | "add_findings"
      | "accept_finding"
      | "remediate_finding"
      | "delete_finding"
      | "bring_back"
      | "renew_ids"
      | "drop_environment"
      | "stop_collector"
      | "pass_time";
  }
>;

/** What makes a simulated tenant the same one again: where it listens, its token, and all that has changed in it. */
export interface SavedTenant {
  /** 0 before its first start. */
  port: number;
  tokenId: string;
  tokenKey: string;
  dialect: SpokenDialect;
  /** RFC 3339 instant of the newest analysis of the untouched data. */
  analysedAt: string;
  /** In order; `at` is the tenant's time in epoch milliseconds. */
  changes: { at: number; command: DataCommand }[];
}

/** The tenant in this file, or a new one. @throws Error when the file cannot be read as a tenant. */
export function loadTenant(file: string, dialect: SpokenDialect, now: number): SavedTenant {
  const saved = read(file);
  if (saved !== null) return saved;
  const analysedAt = DateTime.fromMillis(now, { zone: "utc" }).minus({ hours: 1 }).toISO() ?? "";
  const tokenKey = randomBytes(48).toString("base64");
  return { port: 0, tokenId: randomUUID(), tokenKey, dialect, analysedAt, changes: [] };
}

/** Only its owner can read the file: it holds the token. */
export function saveTenant(file: string, saved: SavedTenant): void {
  const draft = `${file}.draft`;
  writeFileSync(draft, JSON.stringify(saved), { mode: 0o600 });
  renameSync(draft, file);
}

function read(file: string): SavedTenant | null {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  try {
    return JSON.parse(text) as SavedTenant;
  } catch {
    throw new Error(`${file} is damaged, so the simulated tenant cannot go on. Start with --fresh to begin anew.`);
  }
}

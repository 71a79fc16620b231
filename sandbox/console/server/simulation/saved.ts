import { randomBytes, randomUUID } from "node:crypto";
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { DateTime } from "luxon";
import type { SpokenDialect } from "../../../tenant/index.ts";
import { list, object, oneOf, text, whole } from "../input.ts";
import { dataCommand, type DataCommand } from "./commands.ts";

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

const savedTenant = object<SavedTenant>({
  port: whole(0, 65_535),
  tokenId: text,
  tokenKey: text,
  dialect: oneOf("standard", "bloodhound-enterprise"),
  analysedAt: text,
  changes: list(object({ at: whole(0, Number.MAX_SAFE_INTEGER), command: dataCommand })),
});

/** The tenant in this file, or a new one. @throws Error when the file cannot be read as a tenant. */
export function loadTenant(file: string, dialect: SpokenDialect, now: number): SavedTenant {
  const saved = read(file);
  if (saved !== null) return saved;
  const analysedAt = DateTime.fromMillis(now, { zone: "utc" }).minus({ hours: 1 }).toISO() ?? "";
  const tokenKey = randomBytes(48).toString("base64");
  return { port: 0, tokenId: randomUUID(), tokenKey, dialect, analysedAt, changes: [] };
}

/** Only its owner can read the file: it holds the token. @throws Error that says what to do when it cannot be written. */
export function saveTenant(file: string, saved: SavedTenant): void {
  const draft = `${file}.draft`;
  try {
    writeFileSync(draft, JSON.stringify(saved), { mode: 0o600 });
    renameSync(draft, file);
  } catch (error) {
    const { code = String(error) } = error as NodeJS.ErrnoException;
    throw new Error(
      `The simulated tenant cannot be saved in ${file} (${code}). Check the free space and the permissions of its folder, and try again.`,
    );
  }
}

function read(file: string): SavedTenant | null {
  let content: string;
  try {
    content = readFileSync(file, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
    throw error;
  }
  try {
    return savedTenant(JSON.parse(content), file);
  } catch {
    throw new Error(
      `${file} is damaged, so the simulated tenant cannot go on. Restore the file, or start with --fresh to begin anew.`,
    );
  }
}

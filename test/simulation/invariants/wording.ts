import type { RunRecord } from "../history.ts";
import { EPOCH, type World } from "../world.ts";

export function describe(world: World, keys: readonly string[]): string {
  const named = keys.slice(0, 3).map((key) => {
    const finding = world.findings.get(key);
    const created = finding === undefined ? null : world.createdAt(finding);
    const dated = created === null ? "undated" : `created_at ${new Date(created).toISOString()}`;
    return `${key} (${dated}, visible ${new Date(EPOCH + (finding?.visible ?? 0)).toISOString()})`;
  });
  return `${named.join(", ")}${keys.length > 3 ? ` and ${keys.length - 3} more` : ""}`;
}

export function said({ result }: RunRecord): string {
  return (result?.message ?? "").slice(0, 500);
}

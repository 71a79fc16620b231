import { count, type Fields, fields, text } from "../shared/read.ts";
import { words } from "../shared/text.ts";

/** One asset of the result, as far as it could be read. */
export interface AssetEntry {
  group: "tierZero" | "found" | "notFound" | "failed";
  objectId: string;
  name: string | null;
  kind: string | null;
  properties: Fields;
  counts: Count[];
  related: Fields;
  /** Why there is nothing more to show; null when the asset was read. */
  problem: string | null;
  /** Whether the result leaves out some of what was read. */
  isShortened: boolean;
  url: unknown;
}

export interface Count {
  label: string;
  /** The service's name; empty inside a group of counts. */
  key: string;
  /** Null when the service did not return it. */
  value: number | null;
}

export function readAsset(asset: Fields): AssetEntry {
  const status = asset["status"];
  return {
    group:
      status === "found"
        ? asset["tierZero"] === true
          ? "tierZero"
          : "found"
        : status === "not_found"
          ? "notFound"
          : "failed",
    objectId: text(asset["objectId"]) ?? "no object id",
    name: text(asset["name"]),
    kind: text(asset["kind"]),
    properties: fields(asset["properties"]),
    counts: flatten(fields(asset["counts"])),
    related: fields(asset["related"]),
    problem: problemOf(asset),
    isShortened: asset["truncated"] === true,
    url: asset["url"],
  };
}

function problemOf(asset: Fields): string | null {
  if (asset["status"] === "found") return null;
  if (asset["status"] === "not_found")
    return "The service has no object with this object id, or the token may not see it. Get Object Id finds the object id of a name.";
  return text(asset["error"]) ?? "The asset could not be read.";
}

/** Some kinds have counts inside counts: those are named by all their keys. */
function flatten(all: Fields, above = ""): Count[] {
  return Object.entries(all).flatMap(([key, value]): Count[] => {
    const label = above === "" ? words(key) : `${above}: ${words(key).toLowerCase()}`;
    if (typeof value === "object" && value !== null) return flatten(fields(value), label);
    return [{ label, key: above === "" ? key : "", value: count(value) }];
  });
}

/** What an intruder gains with the object, then how many could take it: these decide what to look at first. */
const gains = [
  "adminRights",
  "controllables",
  "outbound_object_control",
  "execution_privileges",
  "sqlAdmin",
  "rdpRights",
];
const exposures = ["controllers", "inbound_object_control", "members", "group_members", "adminUsers", "sessions"];

const order: Readonly<Record<AssetEntry["group"], number>> = { tierZero: 0, found: 1, failed: 2, notFound: 3 };

/** The worst first: Tier Zero, then by what it can do, then by who can reach it; what could not be read comes last. */
export function byUrgency(a: AssetEntry, b: AssetEntry): number {
  return order[a.group] - order[b.group] || sum(b, gains) - sum(a, gains) || sum(b, exposures) - sum(a, exposures);
}

function sum({ counts }: AssetEntry, keys: readonly string[]): number {
  return counts.reduce((total, { key, value }) => total + (keys.includes(key) ? (value ?? 0) : 0), 0);
}

/** The two counts that say most about the asset. */
export function mainCounts({ counts }: AssetEntry): Count[] {
  return [...gains, ...exposures]
    .flatMap((key) => counts.filter((each) => each.key === key && each.value !== null && each.value > 0))
    .slice(0, 2);
}

import { counted, visible } from "../../../../widgets/shared/text.ts";
import type { StateChange } from "../../contract/index.ts";
import { preview } from "./preview.ts";

/** A change of the state in words. Needs no browser. */
export interface ChangeText {
  kind: "Added" | "Changed" | "Removed";
  /** Names within its group. */
  name: string;
  before: string | null;
  after: string | null;
  /** Of two lists: what one has and the other has not. */
  entries: string | null;
}

export function changeText({ path, before, after }: StateChange): ChangeText {
  const kind = before === undefined ? "Added" : after === undefined ? "Removed" : "Changed";
  return {
    kind,
    name: path.slice(groupDepth(path)).map(visible).join(" › "),
    before: before === undefined ? null : preview(before, 90),
    after: after === undefined ? null : preview(after, 90),
    entries: Array.isArray(before) && Array.isArray(after) ? entriesText(before, after) : null,
  };
}

function entriesText(before: readonly unknown[], after: readonly unknown[]): string {
  const texts = (list: readonly unknown[]) => new Set(list.map((item) => JSON.stringify(item)));
  const [old, young] = [texts(before), texts(after)];
  const added = [...young].filter((item) => !old.has(item)).length;
  const removed = [...old].filter((item) => !young.has(item)).length;
  if (added === 0 && removed === 0) return "in another order";
  const parts = [
    added > 0 ? `${counted(added, "entry", "entries")} added` : "",
    removed > 0 ? `${counted(removed, "entry", "entries")} removed` : "",
  ];
  return parts.filter((part) => part !== "").join(", ");
}

/** Changes by the first names of their paths, in the order of the first of each; those of the root stand together. */
export function groupChanges(changes: readonly StateChange[]): { name: string; changes: StateChange[] }[] {
  const groups = new Map<string, StateChange[]>();
  for (const change of changes) {
    const name = change.path.slice(0, groupDepth(change.path)).map(visible).join(" › ");
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [change]);
    else group.push(change);
  }
  return [...groups].map(([name, group]) => ({ name: name === "" ? "General" : name, changes: group }));
}

/** How many names of a path its group has: at most two, and never all. */
function groupDepth(path: readonly string[]): number {
  return Math.min(2, path.length - 1);
}

import type { Environment } from "../../service/resources/environments.records.ts";
import type { Scope } from "../scope.ts";
import { afterListing, afterTypeListing, forgetting, isLongGone, type ListedTypes, storedFields } from "./absence.ts";
import type { MemoryTable } from "./memory-table.ts";

/** Marks environments that are no longer read, and forgets what was known of those that have not been listed for a week. */
export function applyScope(
  table: MemoryTable,
  { selected, visible }: Pick<Scope, "selected" | "visible">,
  hour: number,
): void {
  const ids = new Set(selected.map(({ id }) => id));
  const listed = new Map(visible.map((environment) => [environment.id, environment]));
  for (const id of table.ids()) {
    const fields = table.fields(id) ?? {};
    const next = afterListing(fields, { isSelected: ids.has(id), listed: listed.get(id) }, hour);
    if (next.isListed !== true && isLongGone(next.goneSince, hour)) forgetEnvironment(table, id, next.goneSince);
    else if (next !== fields) table.setFields(id, next);
  }
}

function forgetEnvironment(table: MemoryTable, id: string, goneSince: number): void {
  const streams = table.streams(id);
  const memories = streams.map(([, memory]) => memory);
  table.setFields(id, { goneSince, ...forgetting(table.fields(id) ?? {}, memories, goneSince) });
  for (const [type] of streams) table.deleteStream(id, type);
}

/**
 * Remembers finding types, so that the next run can read them without waiting for the list, and forgets those that have
 * been gone for a week.
 */
export function applyTypes(table: MemoryTable, environment: Environment, types: ListedTypes, hour: number): void {
  const { id } = environment;
  const known = table.streams(id).map(([type]) => type);
  for (const [type, memory] of afterTypeListing(known, types, (each) => table.memory(id, each) ?? {}, hour)) {
    if (table.fields(id) === undefined) table.setFields(id, storedFields(environment));
    if (memory === null) forgetType(table, id, type);
    else table.setStream(id, type, memory);
  }
}

function forgetType(table: MemoryTable, id: string, type: string): void {
  const fields = table.fields(id) ?? {};
  const memory = table.stream(id, type) ?? {};
  table.setFields(id, { ...fields, ...forgetting(fields, [memory], memory.goneSince ?? 0) });
  table.deleteStream(id, type);
}

import type { AlertEvent } from "../../../src/runtime/protocol.ts";

/** What an analyst would ask about some findings. */
export interface Questions {
  /** Names of principals, for Get Object Id. */
  names: string[];
  /** Object ids of principals, for Fetch Assets. */
  ids: string[];
  /** Start and end of the path of a finding; null when no finding has two principals. */
  path: [start: string, end: string] | null;
  /** Pairs that probably have no path: from a target to what can reach it, or into another environment. */
  unrelated: [start: string, end: string][];
}

const MOST_NAMES = 4;
const MOST_IDS = 6;
const MOST_PAIRS = 8;

/** Finds questions in events of any finding types. */
export function questionsAbout(events: readonly AlertEvent[]): Questions {
  const edges = events.flatMap((event) => {
    const { source_object_id: start, target_object_id: end, environment_id: environment } = event;
    return typeof start === "string" && typeof end === "string" ? [{ event, start, end, environment }] : [];
  });
  const spread = [...new Map(edges.map((edge) => [edge.environment, edge])).values()];
  const chosen = spread.length > 0 ? spread.map(({ event }) => event) : events.slice(0, MOST_IDS);
  const texts = (...fields: string[]) => [
    ...new Set(
      chosen.flatMap((event) => fields.map((field) => event[field])).filter((value) => typeof value === "string"),
    ),
  ];
  const first = spread[0];
  const across = spread.flatMap((from) =>
    spread.filter((to) => to !== from).map((to): [string, string] => [from.end, to.start]),
  );
  const back = edges.map(({ start, end }): [string, string] => [end, start]);
  return {
    names: texts("source_principal_name", "target_principal_name").slice(0, MOST_NAMES),
    ids: texts("source_object_id", "target_object_id").slice(0, MOST_IDS),
    path: first === undefined ? null : [first.start, first.end],
    unrelated: [...across, ...back].slice(0, MOST_PAIRS),
  };
}

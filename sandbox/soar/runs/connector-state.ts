import type { ConnectorState, RequestTrace, StreamView } from "../../console/contract/index.ts";
import type { Json, JsonObject } from "../../../src/runtime/protocol.ts";
import { isObject } from "../../../src/json.ts";

const HOUR_MS = 3_600_000;
const SECOND_MS = 1_000;

/** The last run of a connector that was no test. */
export interface LastRun {
  status: string;
  requests: readonly RequestTrace[];
}

/**
 * What a connector's state says, stream by stream. The state belongs to the plugin: what is not understood is left out.
 * Source: src/ingestion/state/state.ts.
 * @param last its last run, whose requests tell what was skipped
 */
export function connectorState(state: Json, last: LastRun | null): ConnectorState {
  const whole = isObject(state) ? state : {};
  const environments = Object.entries(objectOf(whole["environments"]));
  return {
    tenant: textOf(whole["tenant"]),
    dialect: textOf(whole["dialect"]),
    characters: JSON.stringify(state).length,
    streams: environments.flatMap(([id, memory]) =>
      streamsOf({ id, types: objectOf(whole["types"]) }, objectOf(memory), last),
    ),
  };
}

function streamsOf(
  { id: environmentId, types }: { id: string; types: JsonObject },
  memory: JsonObject,
  last: LastRun | null,
): StreamView[] {
  const environment = textOf(memory["name"]) ?? environmentId;
  const readAt = numberOf(memory["readAt"]);
  return Object.entries(objectOf(memory["streams"])).map(([number, value]) => {
    const findingType = textOf(types[number]) ?? number;
    const stream = objectOf(value);
    const ids = objectOf(stream["ids"]);
    const hours = Object.keys(ids).flatMap((key) => (/^\d+/.test(key) ? [parseInt(key, 10)] : []));
    const cursor = numberOf(stream["cursor"]) ?? (hours.length === 0 ? null : Math.max(...hours));
    const isGone = (stream["goneSince"] ?? memory["goneSince"]) !== undefined;
    return {
      environmentId,
      environment,
      findingType,
      cursor: cursor === null ? null : cursor * HOUR_MS,
      rememberedIds: Object.values(ids).reduce<number>((sum, text) => sum + idsIn(text), 0),
      readAt: readAt === null ? null : readAt * SECOND_MS,
      status: isGone
        ? "gone"
        : stream["unfinished"] !== undefined
          ? "unfinished"
          : cursor === null
            ? "never_read"
            : "read",
      skipped: isGone || wasAsked(last, environmentId, findingType) ? null : whySkipped(last, memory),
    };
  });
}

function wasAsked(last: LastRun | null, environmentId: string, findingType: string): boolean {
  const names = [environmentId, findingType];
  return (
    last === null ||
    last.requests
      // The trend of an environment is only asked for to find out whether anything can be skipped.
      .filter(({ path }) => !path.endsWith("/sparkline"))
      .some(({ path, query }) => names.every((name) => path.includes(name) || query.includes(name)))
  );
}

function whySkipped(last: LastRun | null, memory: JsonObject): string {
  if (last?.status !== "completed") return "The last run ended before it came to this stream.";
  const analysis = textOf(objectOf(memory["complete"])["analysis"]);
  if (analysis === null) return "The trend of the environment has not changed since everything in it was read.";
  return `The service has completed no analysis since ${analysis}, and everything from that one was read.`;
}

/** Tokens such as `17`, `17+49` (fifty numbers), and `~` with a hash; checks after a colon. Source: src/ingestion/state/id-text.ts. */
function idsIn(text: Json): number {
  if (typeof text !== "string" || text === "") return 0;
  const [tokens = ""] = text.split(":");
  return tokens.split(",").reduce((sum, token) => sum + 1 + Number(/^\d+\+(\d+)/.exec(token)?.[1] ?? 0), 0);
}

function objectOf(value: Json | undefined): JsonObject {
  return isObject(value) ? value : {};
}

function textOf(value: Json | undefined): string | null {
  return typeof value === "string" ? value : null;
}

function numberOf(value: Json | undefined): number | null {
  return typeof value === "number" ? value : null;
}

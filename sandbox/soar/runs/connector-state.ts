import type { ConnectorState, FollowedStream, StreamView } from "../../console/contract/index.ts";
import type { Json, JsonObject } from "../../../src/runtime/protocol.ts";
import { isObject } from "../../../src/json.ts";

const HOUR_MS = 3_600_000;
const SECOND_MS = 1_000;

/**
 * What a connector's state says, stream by stream. The state belongs to the plugin: what is not understood is left out.
 * Source: src/ingestion/state/state.ts.
 *
 * @param lastRun - its last run that was no test; its JSON tells what was read and why
 */
export function connectorState(
  state: Json,
  lastRun: { status: string; json: JsonObject | null } | null,
): Omit<ConnectorState, "followed"> {
  const listed = lastRun?.json?.["decisions"];
  const unreadBecause = lastRun === null ? null : (UNREAD[lastRun.status] ?? null);
  const decisions = Array.isArray(listed) ? listed.filter((each): each is JsonObject => isObject(each)) : [];
  const whole = isObject(state) ? state : {};
  const environments = Object.entries(objectOf(whole["environments"]));
  return {
    tenant: textOf(whole["tenant"]),
    dialect: textOf(whole["dialect"]),
    characters: JSON.stringify(state).length,
    streams: environments.flatMap(([id, memory]) =>
      streamsOf({ id, types: objectOf(whole["types"]) }, objectOf(memory), decisions).map((stream) => ({
        ...stream,
        unreadBecause: stream.decision === null ? unreadBecause : null,
      })),
    ),
  };
}

/**
 * What a job's state says, finding type by finding type. Source: src/follow-up/state/state.ts.
 *
 * @param names - of environments by id
 */
export function followedStreams(state: Json, names: ReadonlyMap<string, string>): FollowedStream[] {
  const environments = Object.entries(objectOf(objectOf(state)["environments"]));
  return environments.flatMap(([environmentId, memory]) =>
    Object.entries(objectOf(objectOf(memory)["streams"])).map(([findingType, value]) => {
      const stream = objectOf(value);
      const counts = objectOf(stream["counts"]);
      const count = (verdict: string): number => numberOf(counts[verdict]) ?? 0;
      const analysis = numberOf(stream["analysis"]) ?? 0;
      return {
        environmentId,
        environment: names.get(environmentId) ?? environmentId,
        findingType,
        analysedAt: analysis === 0 ? null : analysis,
        active: count("active"),
        accepted: count("accepted"),
        missing: count("missing"),
        gone: count("gone"),
        withdrawn: count("withdrawn"),
        unknown: count("unknown"),
      };
    }),
  );
}

function streamsOf(
  { id: environmentId, types }: { id: string; types: JsonObject },
  memory: JsonObject,
  decisions: readonly JsonObject[],
): Omit<StreamView, "unreadBecause">[] {
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
      decision: decisionOn(environmentId, findingType, decisions),
    };
  });
}

/** What the connector decided about a stream, or else about its environment. Source: `decisions` in docs/host-contract.md. */
function decisionOn(environmentId: string, findingType: string, decisions: readonly JsonObject[]): string | null {
  const ofEnvironment = decisions.filter((each) => each["environmentId"] === environmentId);
  const own = ofEnvironment.find((each) => each["findingType"] === findingType);
  const decided = own ?? ofEnvironment.find((each) => each["findingType"] === undefined);
  if (decided === undefined) return null;
  const what = DECISIONS[textOf(decided["decision"]) ?? ""] ?? "Other";
  const why = REASONS[textOf(decided["reason"]) ?? ""];
  return why === undefined ? `${what}.` : `${what}: ${why}.`;
}

/** By the status of the last run. */
const UNREAD: Readonly<Record<string, string>> = {
  stopped: "Not read: the run was stopped before it came to this.",
  interrupted: "Not read: the host ended before the run came to this.",
  failed: "Not read: the run failed before it came to this.",
  crashed: "Not read: the plugin crashed before it came to this.",
  partial: "Not read: the run ended before it came to this. Its message says why.",
};

const DECISIONS: Readonly<Record<string, string>> = {
  skip: "Skipped",
  probe: "Checked with one request",
  read: "Read",
  read_all: "Read as a whole",
};

const REASONS: Readonly<Record<string, string>> = {
  new: "it was never read before",
  left: "an earlier run did not read all of the environment",
  selection: "other environments or finding types are selected than before",
  returned: "the environment was not listed for a while",
  hourly: "the last read was an hour ago",
  daily: "the last read of everything was a day ago",
  analysis_running: "the service is running an analysis",
  same_evidence: "the service has reported nothing new since the last read",
  new_evidence: "the service has reported changes since the last read",
  old_evidence: "what the service reports is older than the last run",
  no_evidence: "the service does not say whether anything has changed",
  unchanged: "nothing is new",
  changed: "a small request showed a change",
  probe_failed: "a small request was not answered",
  backlog: "an earlier read is not at its end",
  whole_history: "earlier runs did not read it as a whole",
  gone: "the service does not list it any more",
};

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

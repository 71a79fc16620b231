import { isDeepStrictEqual } from "node:util";
import { isObject } from "../../src/json.ts";
import { applyMergePatch } from "../../src/runtime/merge-patch.ts";
import type { Json, JsonObject } from "../../src/runtime/protocol.ts";
import { shortened } from "../../src/text.ts";
import { ids, patches } from "./messages.ts";
import { type Answer, UNNEEDED_VARIABLE } from "./run-host.ts";
import type { Start } from "./scripted-plugin.ts";

/** What one start of the host led to. */
export interface Observation {
  /** The plugin's starts, in order: an action that is in progress has several. */
  starts: Start[];
  /** The requests of these starts; null where standard input was not one JSON object. */
  requests: (JsonObject | null)[];
  /** null: the host was killed, as planned. */
  answer: Answer | null;
  /** Whether a second host started the plugin while it ran for this one. */
  overlapped: boolean;
  /** Where the host left the token key: files below its data folder, or its output. */
  leaks: string[];
}

/** Has no character that JSON or an address would escape, so that it is found in any of them. */
export const SECRET = "conformanceTokenKey7Qz4";
/** Nothing but a request may hold it. */
export const TOKEN_KEY = `${SECRET}+/==`;

/** The host may wait a second from the result on, and its timer may be early. */
const SHORTEST_PAUSE_MS = 950;

/** @returns what is wrong with the requests that the host wrote for an order, and where else it left the token key */
export function requestProblems(observation: Observation | undefined, order: JsonObject): string[] {
  const { starts = [], requests = [], leaks = [] } = observation ?? {};
  if (starts.length === 0) return ["The plugin was not started."];
  const ofRuns = starts.flatMap((start, index) => problemsOfRun(start, requests[index] ?? null, order));
  return [...new Set(ofRuns), ...leaks.map((place) => `The token key is in ${place}.`)];
}

function problemsOfRun(start: Start, request: JsonObject | null, order: JsonObject): string[] {
  if (!start.inputClosed) return ["Standard input was still open after 10 s. Close it behind the request."];
  if (request === null) return ["Standard input did not hold one JSON object."];
  const run = (request["run"] ?? {}) as JsonObject;
  const rules: readonly [boolean, string][] = [
    [request["protocol"] === 1, '"protocol" is not 1.'],
    ...Object.entries(order).flatMap(([name, given]) => givenRules(name, given, request[name] ?? null)),
    [typeof run["id"] === "string", '"run.id" is not a text.'],
    [(run["test"] ?? false) === false, '"run.test" is not false.'],
    [isDeadline(run["deadline"] ?? null), '"run.deadline" is neither null nor a later RFC 3339 instant.'],
    [!start.args.join(" ").includes(SECRET), "The token key is among the arguments of the process."],
    [!Object.values(start.environment).join(" ").includes(SECRET), "The token key is in the environment."],
    [
      !(UNNEEDED_VARIABLE in start.environment),
      `The plugin got ${UNNEEDED_VARIABLE}, which is in the host's environment only. Pass on PATH and what the plugin needs, nothing else.`,
    ],
  ];
  return rules.filter(([kept]) => !kept).map(([, problem]) => problem);
}

/** A host may add parameters, such as defaults. */
function givenRules(name: string, given: Json, sent: Json): [boolean, string][] {
  if (!isObject(given)) return [[sent === given, `"${name}" is not what was given.`]];
  const members = isObject(sent) ? sent : {};
  return Object.entries(given).map(([label, value]) => [
    members[label] === value,
    `"${name}" does not hold the given ${label}.`,
  ]);
}

function isDeadline(value: Json): boolean {
  return value === null || (typeof value === "string" && Date.parse(value) > Date.now() - 60_000);
}

export function pauseProblems(observation: Observation | undefined): string[] {
  const starts = observation?.starts ?? [];
  return starts.slice(1).flatMap(({ readAt }, index) => {
    const pauseMs = readAt - (starts[index]?.readAt ?? 0);
    if (pauseMs >= SHORTEST_PAUSE_MS) return [];
    return [`Run ${index + 2} began ${pauseMs} ms after run ${index + 1}. Wait at least a second.`];
  });
}

export function statusOf(observation: Observation | undefined, status: string): string[] {
  const given = observation?.answer?.status;
  return given === status ? [] : [`The status is "${given ?? "missing"}" instead of "${status}".`];
}

export function holds(observation: Observation | undefined, expected: readonly string[] = ids): string[] {
  const held = observation?.answer?.alerts ?? [];
  return isDeepStrictEqual([...held].sort(), [...expected].sort())
    ? []
    : [`The host holds ${JSON.stringify(held)} instead of each of ${JSON.stringify(expected)} once.`];
}

export function stateOf(observation: Observation | undefined, state: Json, when: string): string[] {
  return requestState(observation?.requests[0], state, when);
}

export function requestState(request: JsonObject | null | undefined, expected: Json, when: string): string[] {
  if (request === null || request === undefined) return [`There is no request ${when}.`];
  const state = request["state"] ?? null;
  if (isDeepStrictEqual(state, expected)) return [];
  return [`The state ${when} is ${shown(state)} instead of ${shown(expected)}.`];
}

/** The states that lead from nothing through the checkpoints of the first two alerts. */
const statesOfTwo = patches
  .slice(0, 2)
  .reduce<Json[]>((so, patch) => [...so, applyMergePatch(so.at(-1) ?? null, patch)], [null]);

/** The state of a host that stored the first two alerts and was not killed. */
export const stateOfTwo: Json = statesOfTwo.at(-1) ?? null;

/** The state must never say more than the stored alerts; saying less only repeats alerts, which the host drops. */
export function notAhead(observation: Observation | undefined): string[] {
  const request = observation?.requests[0];
  if (request === null || request === undefined) return ["There is no request after the interrupted run."];
  const state = request["state"] ?? null;
  const known = statesOfTwo.findIndex((candidate) => isDeepStrictEqual(candidate, state));
  if (known === -1) return [`The state after the interrupted run is ${shown(state)}, which no merge patch leads to.`];
  const missing = ids.slice(0, known).filter((id) => observation?.answer?.alerts.includes(id) !== true);
  return missing.length === 0
    ? []
    : [`The state counts ${missing.join(", ")} as stored, but the host does not hold it.`];
}

function shown(value: Json): string {
  return shortened(JSON.stringify(value), 200);
}

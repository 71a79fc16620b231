import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Alert, AlertMessage, Json, JsonObject, ResultMessage } from "../../src/runtime/protocol.ts";
import { applyMergePatch } from "../../src/runtime/merge-patch.ts";
import type { Answer } from "./run-host.ts";
import type { Start, Step } from "./scripted-plugin.ts";
import { shortened } from "../../src/text.ts";

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
}

/** One rule of the contract: what the plugin does in its runs, and what must be true of the host then. */
export interface Check {
  name: string;
  order: JsonObject;
  /**
   * The host is started once for each; a start may run the plugin several times. Where the plugin waits for another one, a second host is
   * started meanwhile.
   */
  hostStarts: readonly (readonly (readonly Step[])[])[];
  /** @returns what the host did wrong, in sentences */
  judge: (observations: readonly Observation[]) => string[];
}

/** Nothing but a request may hold it. */
const TOKEN_KEY = "conformance+token/key==";
const credentials = {
  Server: "https://tenant.example.test",
  "Token ID": "00000000-0000-4000-8000-000000000000",
  "Token Key": TOKEN_KEY,
};
const connector = { kind: "connector", name: "Attack Path Findings", parameters: credentials };
const action: JsonObject = {
  kind: "action",
  name: "Fetch Assets",
  instance: credentials,
  parameters: { "Object IDs": "S-1-5-21-1-2-3-500" },
};

const finalState: JsonObject = { version: 1, streams: { one: { cursor: 3 } } };
/** A merge patch may remove a member, and any text may be a key. */
const patches = [
  '{"version":1,"streams":{"one":{"cursor":1,"open":true},"two":{"cursor":1}}}',
  '{"streams":{"one":{"open":null,"cursor":2},"__proto__":{"cursor":1}}}',
  '{"streams":{"one":{"cursor":3},"two":null}}',
].map((patch) => JSON.parse(patch) as JsonObject);
const alerts = patches.map((checkpoint, index) => alertMessage(`alert-${index + 1}`, checkpoint));
const ids = alerts.map(({ alert }) => alert.id);
const all: readonly Step[] = [...alerts.map((send) => ({ send })), { send: result({ checkpoint: finalState }) }];
const firstTwo: readonly Step[] = all.slice(0, 2);
export const idle: readonly Step[] = [{ send: result() }];

export const checks: readonly Check[] = [
  {
    name: "sends one request and closes standard input; the token key is nowhere else",
    order: connector,
    hostStarts: [[idle]],
    judge: ([first]) => [...statusOf(first, "completed"), ...requestProblems(first)],
  },
  {
    name: "stores the result's checkpoint as the whole state, and keeps it when a result has none",
    order: connector,
    hostStarts: [[all], [[{ send: result({ status: "failed", value: false }) }]], [idle]],
    judge: ([first, second, third]) => [
      ...statusOf(first, "completed"),
      ...statusOf(second, "failed"),
      ...holds(third),
      ...stateOf(second, finalState, "after a result with a checkpoint"),
      ...stateOf(third, finalState, "after a result without a checkpoint"),
    ],
  },
  {
    name: "loses and repeats nothing when the plugin crashes between two alerts",
    order: connector,
    hostStarts: [[[...firstTwo, { exit: 1 }]], [all]],
    judge: ([first, second]) => [
      ...statusOf(first, "crashed"),
      ...notAhead(second, first?.answer?.alerts ?? []),
      ...holds(second),
    ],
  },
  {
    name: "loses and repeats nothing when the host is killed between two alerts",
    order: connector,
    hostStarts: [[[...firstTwo, { waitForKill: true }]], [all]],
    judge: ([, second]) => [...notAhead(second, ids.slice(0, 2)), ...holds(second)],
  },
  {
    name: "does not run a connector a second time while it runs",
    order: connector,
    hostStarts: [[[{ waitForOther: true }, ...all]], [idle]],
    judge: ([first, second]) => [
      ...(first?.overlapped === true ? ["The plugin ran twice at the same time, from one state."] : []),
      ...statusOf(first, "completed"),
      ...holds(second),
      ...stateOf(second, finalState, "after both runs"),
    ],
  },
  {
    name: "takes a run without a result, or with another exit code, for a crash",
    order: connector,
    hostStarts: [[[]], [[{ send: result({ checkpoint: finalState }) }, { exit: 3 }]], [idle]],
    judge: ([first, second, third]) => [
      ...statusOf(first, "crashed"),
      ...statusOf(second, "crashed"),
      ...stateOf(third, null, "after a run with exit code 3"),
    ],
  },
  {
    name: "reads lines of any length, cut anywhere, next to a noisy standard error",
    order: connector,
    hostStarts: [
      [
        [
          { noise: 1_000_000 },
          { trickle: { type: "log", level: "info", message: "Größe 𝄞", fields: {} } },
          {
            send: {
              ...alertMessage("alert-\u2028", {}, longText(1_000_000)),
              memberOfALaterVersion: 1,
            } as AlertMessage,
          },
          { send: result({ checkpoint: longState() }) },
        ],
      ],
      [idle],
    ],
    judge: ([first, second]) => [
      ...statusOf(first, "completed"),
      ...holds(second, ["alert-\u2028"]),
      ...stateOf(second, longState(), "after a line of 2.5 MB"),
    ],
  },
  {
    name: "runs an action again with its state until it is no longer in progress",
    order: action,
    hostStarts: [
      [
        [{ send: result({ status: "in_progress", state: { next: 1 } }) }],
        [{ send: result({ status: "in_progress", state: "text" }) }],
        idle,
      ],
    ],
    judge: ([first]) => [
      ...statusOf(first, "completed"),
      ...[null, { next: 1 }, "text"].flatMap((state, index) =>
        requestState(first?.requests[index], state, `run ${index + 1}`),
      ),
    ],
  },
];

function requestProblems(observation: Observation | undefined): string[] {
  const [start] = observation?.starts ?? [];
  const [request] = observation?.requests ?? [];
  if (start === undefined) return ["The plugin was not started."];
  if (!start.inputClosed) return ["Standard input was still open after 10 s. Close it behind the request."];
  if (request === null || request === undefined) return ["Standard input did not hold one JSON object."];
  const run = (request["run"] ?? {}) as JsonObject;
  const parameters = (request["parameters"] ?? {}) as JsonObject;
  const rules: readonly [boolean, string][] = [
    [request["protocol"] === 1, '"protocol" is not 1.'],
    [request["kind"] === connector.kind, '"kind" is not what was given.'],
    [request["name"] === connector.name, '"name" is not what was given.'],
    ...Object.entries(credentials).map(([label, value]): [boolean, string] => [
      parameters[label] === value,
      `"parameters" does not hold the given ${label}.`,
    ]),
    [typeof run["id"] === "string", '"run.id" is not a text.'],
    [(run["test"] ?? false) === false, '"run.test" is not false.'],
    [isDeadline(run["deadline"] ?? null), '"run.deadline" is neither null nor a later RFC 3339 instant.'],
    [(request["state"] ?? null) === null, '"state" of the first run is not null.'],
    [!start.args.join(" ").includes(TOKEN_KEY), "The token key is among the arguments of the process."],
    [!Object.values(start.environment).join(" ").includes(TOKEN_KEY), "The token key is in the environment."],
  ];
  return rules.filter(([kept]) => !kept).map(([, problem]) => problem);
}

function isDeadline(value: Json): boolean {
  return value === null || (typeof value === "string" && Date.parse(value) > Date.now() - 60_000);
}

function statusOf(observation: Observation | undefined, status: string): string[] {
  const given = observation?.answer?.status;
  return given === status ? [] : [`The status is "${given ?? "missing"}" instead of "${status}".`];
}

function holds(observation: Observation | undefined, expected: readonly string[] = ids): string[] {
  const held = observation?.answer?.alerts ?? [];
  return isDeepStrictEqual([...held].sort(), [...expected].sort())
    ? []
    : [`The host holds ${JSON.stringify(held)} instead of each of ${JSON.stringify(expected)} once.`];
}

function stateOf(observation: Observation | undefined, state: Json, when: string): string[] {
  return requestState(observation?.requests[0], state, when);
}

function requestState(request: JsonObject | null | undefined, expected: Json, when: string): string[] {
  if (request === null || request === undefined) return [`There is no request ${when}.`];
  const state = request["state"] ?? null;
  if (isDeepStrictEqual(state, expected)) return [];
  return [`The state ${when} is ${shown(state)} instead of ${shown(expected)}.`];
}

/** The state must never say more than the stored alerts; saying less only repeats alerts, which the host drops. */
function notAhead(observation: Observation | undefined, stored: readonly string[]): string[] {
  const request = observation?.requests[0];
  if (request === null || request === undefined) return ["There is no request after the interrupted run."];
  const state = request["state"] ?? null;
  const states = patches
    .slice(0, 2)
    .reduce<Json[]>((so, patch) => [...so, applyMergePatch(so.at(-1) ?? null, patch)], [null]);
  const known = states.findIndex((candidate) => isDeepStrictEqual(candidate, state));
  if (known === -1) return [`The state after the interrupted run is ${shown(state)}, which no merge patch leads to.`];
  const missing = ids.slice(0, known).filter((id) => !stored.includes(id));
  return missing.length === 0
    ? []
    : [`The state counts ${missing.join(", ")} as stored, but the host does not hold it.`];
}

function shown(value: Json): string {
  return shortened(JSON.stringify(value), 200);
}

/** As long as the longest checkpoint that the plugin writes. */
function longState(): JsonObject {
  return { version: 1, ids: longText(2_500_000) };
}

/** Hardly compressible, so that a host with a guard against archives that unpack to too much accepts the plugin in a zip. */
function longText(length: number): string {
  let [text, block] = ["", ""];
  while (text.length < length) text += block = createHash("sha256").update(block).digest("hex");
  return text.slice(0, length);
}

function result(more: Partial<ResultMessage> = {}): ResultMessage {
  return { type: "result", status: "completed", message: "Done.", value: true, ...more };
}

function alertMessage(id: string, checkpoint: JsonObject, description = ""): AlertMessage {
  const alert: Alert = {
    id,
    name: "Non Tier Zero principals with Generic All on Tier Zero",
    severity: "high",
    priority: 80,
    startTime: 1_700_000_000_000,
    endTime: 1_700_000_000_000,
    sourceGroupingIdentifier: "S-1-5-21-1-2-3",
    environmentId: "S-1-5-21-1-2-3",
    environmentName: "EXAMPLE.TEST",
    findingType: "T0GenericAll",
    title: "Generic All",
    description,
    product: "Attack Path Analysis",
    vendor: "Attack Path Analysis Service",
    tags: [],
    extensions: {},
    events: [{ finding_id: id, source_domain: "EXAMPLE.TEST" }],
  };
  return { type: "alert", alert, checkpoint };
}

import type { AlertMessage, JsonObject } from "../../src/runtime/protocol.ts";
import {
  holds,
  notAhead,
  type Observation,
  pauseProblems,
  requestProblems,
  requestState,
  stateOf,
  stateOfTwo,
  statusOf,
  TOKEN_KEY,
} from "./judging.ts";
import { alertMessage, alerts, finalState, ids, longState, longText, result } from "./messages.ts";
import type { Step } from "./scripted-plugin.ts";

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

const credentials = {
  Server: "https://tenant.example.test",
  "Token ID": "00000000-0000-4000-8000-000000000000",
  "Token Key": TOKEN_KEY,
};
const connector: JsonObject = { kind: "connector", name: "Attack Path Findings", parameters: credentials };
const action: JsonObject = {
  kind: "action",
  name: "Fetch Assets",
  instance: credentials,
  parameters: { "Object IDs": "S-1-5-21-1-2-3-500" },
};

const afterFailed: JsonObject = { version: 1, rate: 1 };
/** Hosts that decode each piece by itself damage characters of more than one byte. */
const CUT_ID = "Größe 𝄞 日本";

const sent: readonly Step[] = alerts.map((send) => ({ send }));
const all: readonly Step[] = [...sent, { send: result({ checkpoint: finalState }) }];
const firstTwo: readonly Step[] = sent.slice(0, 2);
export const idle: readonly Step[] = [{ send: result() }];

export const checks: readonly Check[] = [
  {
    name: "sends one request and closes standard input; the token key is nowhere else",
    order: connector,
    hostStarts: [[idle]],
    judge: ([first]) => [
      ...statusOf(first, "completed"),
      ...requestProblems(first, connector),
      ...stateOf(first, null, "of the first run"),
    ],
  },
  {
    name: "stores the result's checkpoint as the whole state, and keeps it when a result has none",
    order: connector,
    hostStarts: [
      [[...sent, { send: result({ status: "partial", checkpoint: finalState }) }]],
      [[{ send: result({ status: "failed", value: null, checkpoint: afterFailed }) }]],
      [[{ send: result({ status: "failed", value: null }) }]],
      [idle],
    ],
    judge: ([first, second, third, fourth]) => [
      ...statusOf(first, "partial"),
      ...statusOf(second, "failed"),
      ...holds(fourth),
      ...stateOf(second, finalState, "after a partial result with a checkpoint"),
      ...stateOf(third, afterFailed, "after a failed result with a checkpoint"),
      ...stateOf(fourth, afterFailed, "after a result without a checkpoint"),
    ],
  },
  {
    name: "loses and repeats nothing when the plugin crashes between two alerts",
    order: connector,
    hostStarts: [[[...firstTwo, { exit: 1 }]], [all]],
    judge: ([first, second]) => [
      ...statusOf(first, "crashed"),
      ...holds(first, ids.slice(0, 2)),
      ...stateOf(second, stateOfTwo, "after two alerts and a crash"),
      ...holds(second),
    ],
  },
  {
    name: "loses and repeats nothing when the host is killed between two alerts",
    order: connector,
    hostStarts: [[[...firstTwo, { waitForKill: true }]], [idle], [all]],
    judge: ([, second, third]) => [...notAhead(second), ...holds(third)],
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
    name: "takes a run without a result, with another exit code, or that a signal ended, for a crash",
    order: connector,
    hostStarts: [
      [[]],
      [[{ send: result({ checkpoint: finalState }) }, { exit: 3 }]],
      [[{ send: result({ checkpoint: finalState }) }, { dieBySignal: true }]],
      [idle],
    ],
    judge: ([first, second, third, fourth]) => [
      ...[first, second, third].flatMap((observation) => statusOf(observation, "crashed")),
      ...stateOf(third, null, "after a run with exit code 3"),
      ...stateOf(fourth, null, "after a run that a signal ended"),
    ],
  },
  {
    name: "reads every message, in lines of any length, cut anywhere, next to a noisy standard error",
    order: connector,
    hostStarts: [
      [
        [
          { noise: 1_000_000 },
          { send: { type: "log", level: "info", message: "Noise.", fields: {} } },
          { send: { type: "progress", done: 1, total: 2, label: "streams" } },
          { trickle: alertMessage(CUT_ID, {}) },
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
      ...holds(second, [CUT_ID, "alert-\u2028"]),
      ...stateOf(second, longState(), "after a line of 2.5 MB"),
    ],
  },
  {
    name: "runs an action again with its request and its state, after a second each time, until it is no longer in progress",
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
      ...requestProblems(first, action),
      ...pauseProblems(first),
      ...[null, { next: 1 }, "text"].flatMap((state, index) =>
        requestState(first?.requests[index], state, `run ${index + 1}`),
      ),
    ],
  },
];

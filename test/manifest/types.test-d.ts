/**
 * Checked by the compiler alone: what follows a `@ts-expect-error` must not compile, everything else must.
 */
import type { manifest } from "../../src/generated/manifest.ts";
import type { Manifest } from "../../src/manifest/manifest.ts";
import type {
  ActionParameters,
  ActionResult,
  ConnectorCriteria,
  ConnectorParameters,
  InstanceParameters,
} from "../../src/manifest/types.ts";
import { defineAction, defineConnector } from "../../src/runtime/modules.ts";

type Same<A, B> = [A, B] extends [B, A] ? true : false;
type Proofs<T extends true[]> = T;

type Connector = ConnectorParameters<"Attack Path Findings">;
type Path = ActionParameters<"Does Path Exist">;

export type Declared = Proofs<
  [
    // The literal is a manifest like any other.
    typeof manifest extends Manifest ? true : false,
    // Parameters have the types that the manifest declares.
    Same<InstanceParameters, { Server: string; "Token ID": string; "Token Key": string }>,
    Same<Path, { "Start Node": string[] | null; "End Node": string[] | null }>,
    Same<ActionParameters<"Get Object Id">, { "Object Names": string[] | null }>,
    Same<Connector["Selected Environments"], string[]>,
    // A field that the host reads does not reach the connector.
    Same<Extract<keyof Connector, "Run Every">, never>,
    // Results have the types of their schemas.
    Same<ActionResult<"Does Path Exist">["paths"][number]["length"], number | null>,
    Same<ActionResult<"Fetch Assets">["assets"][number]["status"], "found" | "not_found" | "failed">,
  ]
>;

export type Misspelt = [
  // @ts-expect-error: the action has no parameter of this name
  Path["Start node"],
  // @ts-expect-error: the instance has no parameter of this name
  InstanceParameters["Token Id"],
  // @ts-expect-error: the connector has no field of this name
  Connector["Selected Environment"],
  // @ts-expect-error: this field does not narrow what is read
  ConnectorCriteria<"Attack Path Findings">["Product Field Name"],
  // @ts-expect-error: no action has this name
  ActionParameters<"Does Path Exists">,
  // @ts-expect-error: no connector has this name
  ConnectorParameters<"Attack Path Finding">,
];

const outcome = { status: "completed", message: "Done.", value: true } as const;

export const modules = [
  defineAction("Ping", () => Promise.resolve(outcome)),
  defineConnector("Attack Path Findings", () => Promise.resolve(outcome)),
  // @ts-expect-error: no action has this name
  defineAction("Pong", () => Promise.resolve(outcome)),
  // @ts-expect-error: no connector has this name
  defineConnector("Attack Path Finding", () => Promise.resolve(outcome)),
  // @ts-expect-error: the declared result looks otherwise
  defineAction("Ping", () => Promise.resolve({ ...outcome, json: { ok: true } })),
];

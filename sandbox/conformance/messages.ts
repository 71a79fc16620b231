import { createHash } from "node:crypto";
import type { Alert, AlertMessage, JsonObject, ResultMessage } from "../../src/runtime/protocol.ts";

/** The state after a run that delivered all of {@link alerts}. */
export const finalState: JsonObject = { version: 1, streams: { one: { cursor: 3 } } };

/** A merge patch may remove a member, also where there is none yet, and any text may be a key. */
export const patches = [
  '{"version":1,"streams":{"one":{"cursor":1,"open":true,"closed":null},"two":{"cursor":1}}}',
  '{"streams":{"one":{"open":null,"cursor":2},"__proto__":{"cursor":1}}}',
  '{"streams":{"one":{"cursor":3},"two":null}}',
].map((patch) => JSON.parse(patch) as JsonObject);

export const alerts = patches.map((checkpoint, index) => alertMessage(`alert-${index + 1}`, checkpoint));
export const ids = alerts.map(({ alert }) => alert.id);

/** As long as the longest checkpoint that the plugin writes. */
export function longState(): JsonObject {
  return { version: 1, ids: longText(2_500_000) };
}

/** Hardly compressible, so that a host with a guard against archives that unpack to too much accepts the plugin in a zip. */
export function longText(length: number): string {
  let [text, block] = ["", ""];
  while (text.length < length) text += block = createHash("sha256").update(block).digest("hex");
  return text.slice(0, length);
}

export function result(more: Partial<ResultMessage> = {}): ResultMessage {
  return { type: "result", status: "completed", message: "Done.", value: true, ...more };
}

export function alertMessage(id: string, checkpoint: JsonObject, description = ""): AlertMessage {
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

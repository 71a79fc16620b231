import { describe, expect, test } from "@jest/globals";
import type { Alert } from "../../src/runtime/protocol.ts";
import { Host, type Message } from "./host.ts";
import { type Json, mergePatch } from "./merge-patch.ts";

describe("Merge patch", () => {
  const cases: [Json, Json, Json][] = [
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: "foo" }, "bar", "bar"],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ];

  test.each(cases)("%j patched with %j is %j (RFC 7396)", (target, patch, result) => {
    expect(mergePatch(target, patch)).toEqual(result);
  });

  test("A name that every object inherits is a name like any other", () => {
    const patch = JSON.parse('{"__proto__":{"a":1}}') as Json;
    expect(JSON.stringify(mergePatch({}, patch))).toBe('{"__proto__":{"a":1}}');
  });
});

function alert(id: string, checkpoint: Json): Message {
  return { type: "alert", alert: { id } as Alert, checkpoint };
}

function result(checkpoint?: Json): Message {
  const message = { type: "result" as const, status: "completed" as const, message: "", value: true };
  return { ...message, ...(checkpoint !== undefined && { checkpoint: checkpoint as { [key: string]: Json } }) };
}

describe("Hosts", () => {
  test("An atomic host stores the patch with each alert, and the result's checkpoint in place of all", () => {
    const host = new Host("atomic");
    host.take(alert("a", { a: 1 }));
    host.take(alert("b", { b: 2 }));
    expect(host.state).toEqual({ a: 1, b: 2 });
    host.take(result({ c: 3 }));
    expect(host.state).toEqual({ c: 3 });
    host.take(result());
    expect(host.state).toEqual({ c: 3 });
  });

  test("A host with late patches loses the last one when the run is killed", () => {
    const host = new Host("late patch");
    host.take(alert("a", { a: 1 }));
    host.take(alert("b", { b: 2 }));
    expect(host.state).toEqual({ a: 1 });
    expect(host.handOver({ kind: "kept" })).toEqual({ a: 1 });
    host.take(alert("c", { c: 3 }));
    host.take(result());
    expect(host.state).toEqual({ a: 1, c: 3 });
  });

  test("A host with late checkpoints ignores patches", () => {
    const host = new Host("late checkpoint");
    host.take(alert("a", { a: 1 }));
    expect(host.state).toBeNull();
    host.take(result({ c: 3 }));
    expect(host.state).toEqual({ c: 3 });
  });

  test("A host recognises an alert by its id", () => {
    const host = new Host("atomic");
    expect([host.take(alert("a", {})), host.take(alert("a", {}))]).toEqual([true, false]);
  });

  test("A state can be lost or stale, and stays so", () => {
    const host = new Host("atomic");
    host.take(result({ version: 1 }));
    host.take(result({ version: 2 }));
    expect(host.handOver({ kind: "stale", back: 1 })).toEqual({ version: 1 });
    expect(host.state).toEqual({ version: 1 });
    expect(host.handOver({ kind: "lost" })).toBeNull();
  });

  test("Damage to a field changes its type", () => {
    for (let seed = 0; seed < 50; seed++) {
      const host = new Host("atomic");
      host.take(result({ a: 1, b: { c: "text" } }));
      const damaged = JSON.stringify(host.handOver({ kind: "damaged", how: "field", seed }));
      expect(damaged).not.toBe('{"a":1,"b":{"c":"text"}}');
    }
  });
});

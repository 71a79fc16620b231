import { Readable } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import { readOutput } from "../../bench/plugin-output.ts";

const patch = { descriptions: { T0GenericAll: { packed: "ü" } } };
const messages = [
  { type: "log", level: "info", message: "checkpoint", fields: { checkpoint: {} } },
  { type: "alert", alert: { id: "1", title: ',"checkpoint":{}}' }, checkpoint: patch },
  { type: "alert", alert: { id: "2" } },
  { type: "result", status: "completed", message: "Nothing new.", value: true, checkpoint: { version: 1 } },
];
const text = messages.map((message) => `${JSON.stringify(message)}\n`).join("");

/** The text in pieces of the same number of bytes. */
function pieces(length: number): Readable {
  const bytes = Buffer.from(text);
  const starts = Array.from({ length: Math.ceil(bytes.length / length) }, (_, index) => index * length);
  return Readable.from(starts.map((start) => bytes.subarray(start, start + length)));
}

describe("what the bench reads of a run", () => {
  it.each([1, 7, 64, 10_000])("is the same in pieces of %i bytes", async (length) => {
    expect(await readOutput(pieces(length))).toEqual({
      bytes: Buffer.byteLength(text),
      alerts: 2,
      patchCharacters: JSON.stringify(patch).length,
      result: messages.at(-1),
    });
  });
});

import { describe, expect, it } from "@jest/globals";
import { createLogger } from "../../src/runtime/log.ts";
import type { LogLevel, ResultMessage } from "../../src/runtime/protocol.ts";
import { createRedactor } from "../../src/runtime/redaction.ts";
import { createWriter } from "../../src/runtime/writer.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { SECRET, Sink } from "./harness.ts";

const never = new AbortController().signal;

const result: ResultMessage = { type: "result", status: "completed", message: "done", value: true };

function logTo(sink: Sink, level: LogLevel = "info") {
  const writer = createWriter(sink, new FakeClock());
  return { writer, log: createLogger({ writer, redactor: createRedactor([SECRET]), level, runId: "r-1" }) };
}

describe("createLogger", () => {
  it("writes the message in its place, also the first one, which still loads the library", async () => {
    const sink = new Sink();
    const { writer, log } = logTo(sink);
    log.warn("before");
    void writer.write({ type: "progress", done: 1, total: 2, label: "between" });
    log.error("after", { pair: "a" });
    await writer.finish(result, never);
    expect(sink.messages).toEqual([
      { type: "log", level: "warn", message: "before", fields: { run: "r-1" } },
      { type: "progress", done: 1, total: 2, label: "between" },
      { type: "log", level: "error", message: "after", fields: { run: "r-1", pair: "a" } },
      result,
    ]);
  });

  it("loses no message and changes no order in a burst", async () => {
    const sink = new Sink();
    const { writer, log } = logTo(sink);
    const expected = Array.from({ length: 5_000 }, (_, index) => `message ${index}`);
    for (const message of expected) log.info(message);
    await writer.finish(result, never);
    expect(sink.messages.slice(0, -1).map((message) => message.type === "log" && message.message)).toEqual(expected);
  });

  it("drops what is below the level", async () => {
    const sink = new Sink();
    const { writer, log } = logTo(sink, "warn");
    log.debug("no");
    log.info("no");
    log.warn("yes");
    await writer.finish(result, never);
    expect(
      sink.messages.map((message) => message.type !== "progress" && "message" in message && message.message),
    ).toEqual(["yes", "done"]);
  });

  it("takes the secret out of the message and of every field, and keeps both on one line", async () => {
    const sink = new Sink();
    const { writer, log } = logTo(sink, "debug");
    log.debug(`failed with ${SECRET}\nfake: entry`, {
      error: new Error(`bad ${encodeURIComponent(SECRET)}`),
      deep: [{ [SECRET]: SECRET }],
      name: "EVIL\u001b[2J\r\nUSER",
      level: "error",
      message: "forged",
    });
    await writer.finish(result, never);
    expect(sink.text).not.toContain(SECRET);
    expect(sink.text).not.toContain(encodeURIComponent(SECRET));
    expect(sink.messages[0]).toEqual({
      type: "log",
      level: "debug",
      message: "failed with [redacted]\\nfake: entry",
      fields: {
        run: "r-1",
        error: "Error: bad [redacted]",
        deep: [{ "[redacted]": "[redacted]" }],
        name: "EVIL\\u001b[2J\\r\\nUSER",
        level: "error",
        message: "forged",
      },
    });
  });
});

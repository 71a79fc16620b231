import { Writable } from "node:stream";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import type { Message, ResultMessage } from "../../src/runtime/protocol.ts";
import { createWriter, OutputError } from "../../src/runtime/writer.ts";
import { anyCharacter } from "../support/any-character.ts";
import { FakeClock, settle } from "../support/fake-clock.ts";
import { Sink } from "./harness.ts";

const never = new AbortController().signal;

const result: ResultMessage = { type: "result", status: "completed", message: "done", value: true };

function progress(label: string): Message {
  return { type: "progress", done: 0, total: 1, label };
}

/** A reader that takes one chunk at a time, when the test asks for it. */
class SlowReader extends Writable {
  received: Buffer[] = [];
  private release: (() => void) | undefined;

  constructor(highWaterMark = 10) {
    super({ highWaterMark });
  }
  override _write(chunk: Buffer, _encoding: BufferEncoding, next: () => void): void {
    this.received.push(chunk);
    this.release = next;
  }
  takeOne(): void {
    const next = this.release;
    this.release = undefined;
    next?.();
  }
}

describe("createWriter", () => {
  it("puts each message on one line, whatever stands in it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.string({ unit: anyCharacter })), async (labels) => {
        const sink = new Sink();
        const writer = createWriter(sink, new FakeClock());
        for (const label of labels) void writer.write(progress(label));
        await writer.finish(result, never);
        expect(sink.text).toBe(
          [...labels.map(progress), result].map((message) => `${JSON.stringify(message)}\n`).join(""),
        );
        expect(sink.lines).toHaveLength(labels.length + 1);
      }),
    );
  });

  it("keeps the place of a message that is still being made", async () => {
    const sink = new Sink();
    const writer = createWriter(sink, new FakeClock());
    let make: (message: Message) => void = () => undefined;
    void writer.write(new Promise<Message>((resolve) => (make = resolve)));
    void writer.write(progress("second"));
    const finished = writer.finish(result, never);
    expect(sink.text).toBe("");
    make(progress("first"));
    await finished;
    expect(sink.messages).toEqual([progress("first"), progress("second"), result]);
  });

  it("writes nothing after the result, and no second result", async () => {
    const sink = new Sink();
    const writer = createWriter(sink, new FakeClock());
    await writer.finish(result, never);
    await writer.write(progress("late"));
    await expect(writer.finish(result, never)).rejects.toThrow("exactly one result");
    expect(sink.messages).toEqual([result]);
  });

  it("makes the caller wait while the reader has no room", async () => {
    const reader = new SlowReader();
    const writer = createWriter(reader, new FakeClock());
    let written = false;
    const first = writer.write(progress("one")).then(() => (written = true));
    await new Promise(setImmediate);
    expect(written).toBe(false);
    expect(reader.received).toHaveLength(1);
    reader.takeOne();
    await first;
    expect(written).toBe(true);
  });

  it.each([10, 10_000])("resolves the result only when a reader with room for %i has taken it all", async (room) => {
    const reader = new SlowReader(room);
    const writer = createWriter(reader, new FakeClock());
    let finished = false;
    const done = writer.finish(result, never).then(() => (finished = true));
    await new Promise(setImmediate);
    expect(finished).toBe(false);
    reader.takeOne();
    for (let turn = 0; turn < 3; turn++) {
      reader.takeOne();
      await new Promise(setImmediate);
    }
    await done;
    expect(Buffer.concat(reader.received).toString()).toBe(`${JSON.stringify(result)}\n`);
  });

  it("fails every later write once the reader is gone, also one that waits for room", async () => {
    const reader = new SlowReader();
    const writer = createWriter(reader, new FakeClock());
    const waiting = writer.write(progress("one"));
    await new Promise(setImmediate);
    reader.destroy(Object.assign(new Error("write EPIPE"), { code: "EPIPE" }));
    await expect(waiting).rejects.toThrow(OutputError);
    await expect(writer.write(progress("two"))).rejects.toThrow(OutputError);
    await expect(writer.finish(result, never)).rejects.toThrow(OutputError);
    expect(writer.closed.aborted).toBe(true);
  });

  it("does not take a result for written that the reader had room for and never took", async () => {
    const reader = new SlowReader(10_000);
    const writer = createWriter(reader, new FakeClock());
    const done = writer.finish(result, never);
    await new Promise(setImmediate);
    const cause = Object.assign(new Error("write EPIPE"), { code: "EPIPE" });
    reader.destroy(cause);
    reader.takeOne();
    await expect(done).rejects.toMatchObject({ name: "OutputError", readable: true, cause });
  });

  it("notices that the reader went away without an error", async () => {
    const reader = new SlowReader();
    const writer = createWriter(reader, new FakeClock());
    reader.destroy();
    await new Promise(setImmediate);
    expect(writer.closed.aborted).toBe(true);
  });

  it("fails only its own caller when a message cannot be made", async () => {
    const sink = new Sink();
    const writer = createWriter(sink, new FakeClock());
    await expect(writer.write(Promise.reject(new Error("no message")))).rejects.toThrow("no message");
    await writer.finish(result, never);
    expect(sink.messages).toEqual([result]);
  });

  describe("once the run must end", () => {
    const MINUTE = 60_000;

    it("gives the result up when the reader takes nothing for half a minute, and not before", async () => {
      const [clock, ending] = [new FakeClock(), new AbortController()];
      const writer = createWriter(new SlowReader(), clock);
      let error: unknown;
      const done = writer.finish(result, ending.signal).catch((reason: unknown) => (error = reason));
      await settle();
      clock.advance(60 * MINUTE);
      ending.abort();
      await settle();
      clock.advance(29_999);
      await settle();
      expect(error).toBeUndefined();
      await clock.drain();
      await done;
      expect(error).toBeInstanceOf(OutputError);
      expect(error).toHaveProperty("message", expect.stringContaining("read nothing from standard output for 30 s"));
    });

    it("waits for a slow reader as long as it takes anything", async () => {
      const clock = new FakeClock();
      const reader = new SlowReader();
      const writer = createWriter(reader, clock);
      for (let line = 0; line < 5; line++) void writer.write(progress(`line ${line}`));
      const done = writer.finish(result, AbortSignal.abort());
      for (let line = 0; line < 6; line++) {
        await settle();
        clock.advance(29_000);
        reader.takeOne();
      }
      await settle();
      reader.takeOne();
      await done;
      expect(Buffer.concat(reader.received).toString()).toContain('"type":"result"');
      expect(clock.busy).toBe(false);
    });

    it("waits for a reader that takes a long message piece by piece", async () => {
      const clock = new FakeClock();
      const reader = new SlowReader();
      const writer = createWriter(reader, clock);
      const long = { ...result, message: "é".repeat(150_000) };
      const done = writer.finish(long, AbortSignal.abort());
      for (let taken = 0; taken < 7; taken++) {
        await settle();
        clock.advance(20_000);
        reader.takeOne();
      }
      await settle();
      await done;
      expect(Buffer.concat(reader.received).toString()).toBe(`${JSON.stringify(long)}\n`);
      expect(Math.max(...reader.received.map(({ length }) => length))).toBe(65_536);
    });

    it("gives up a result that the stream took into its buffer and nobody reads", async () => {
      const clock = new FakeClock();
      const done = createWriter(new SlowReader(10_000), clock).finish(result, AbortSignal.abort());
      const failed = expect(done).rejects.toThrow(OutputError);
      await clock.drain();
      await failed;
    });
  });

  it("says that a file refuses the result, and why", async () => {
    const full = new Writable({
      write(_chunk, _encoding, next) {
        next(Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" }));
      },
    });
    await expect(createWriter(full, new FakeClock()).finish(result, never)).rejects.toThrow(
      "could not be written to standard output: ENOSPC: no space left on device",
    );
  });
});

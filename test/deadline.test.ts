import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "@jest/globals";
import { Deadline } from "../src/deadline.ts";
import { FakeClock, settle } from "./support/fake-clock.ts";
import { rootDir } from "./support/package.ts";

describe("a deadline", () => {
  it("aborts its signal at its moment and not before, with the reason it was given", async () => {
    const clock = new FakeClock(1_000);
    const deadline = new Deadline({ clock, at: 1_500, reason: () => new Error("time is up") });
    clock.advance(499);
    await settle();
    expect([deadline.remainingMs(), deadline.reached, deadline.signal.aborted]).toEqual([1, false, false]);
    clock.advance(1);
    await settle();
    expect([deadline.remainingMs(), deadline.reached, deadline.expired]).toEqual([0, true, true]);
    expect(deadline.signal.reason).toEqual(new Error("time is up"));
  });

  it("is reached as soon as its moment has passed, whenever the timer fires", () => {
    const late = { now: () => 2_000, monotonic: () => 0, sleep: () => new Promise<void>(() => undefined) };
    const deadline = new Deadline({ clock: late, at: 1_500 });
    expect([deadline.reached, deadline.expired, deadline.signal.aborted]).toEqual([true, true, false]);
  });

  it("is reached when the timer fires, even a little before its moment", async () => {
    const early = { now: () => 1_499, monotonic: () => 0, sleep: () => Promise.resolve() };
    const deadline = new Deadline({ clock: early, at: 1_500 });
    await settle();
    expect([deadline.reached, deadline.expired, deadline.signal.aborted]).toEqual([true, true, true]);
  });

  it.each([
    ["forward", 3_600_000],
    ["back", -3_600_000],
  ])("is as far away as before when the clock of the machine is set %s meanwhile", async (_, byMs) => {
    const clock = new FakeClock(1_000);
    const deadline = new Deadline({ clock, at: 1_500 });
    clock.set(byMs);
    clock.advance(499);
    await settle();
    expect([deadline.remainingMs(), deadline.reached, deadline.signal.aborted]).toEqual([1, false, false]);
    clock.advance(1);
    await settle();
    expect([deadline.remainingMs(), deadline.expired, deadline.signal.aborted]).toEqual([0, true, true]);
  });

  it("is reached by a stop before its moment, and then has not expired", () => {
    const clock = new FakeClock(1_000);
    const [first, second] = [new AbortController(), new AbortController()];
    const deadline = new Deadline({ clock, at: 1_500, stops: [first.signal, second.signal] });
    second.abort(new Error("stopped"));
    first.abort(new Error("too late to matter"));
    expect([deadline.reached, deadline.expired]).toEqual([true, false]);
    expect(deadline.signal.reason).toEqual(new Error("stopped"));
  });

  it("sets no timer when it is already stopped, or has no moment", () => {
    const clock = new FakeClock();
    const stopped = new Deadline({ clock, at: clock.now() + 1, stops: [AbortSignal.abort(new Error("stopped"))] });
    const endless = new Deadline({ clock, at: null });
    expect(clock.busy).toBe(false);
    expect(stopped.signal.reason).toEqual(new Error("stopped"));
    expect([endless.remainingMs(), endless.reached]).toEqual([Infinity, false]);
  });

  it("leaves neither a timer nor a listener behind once it is released", async () => {
    const clock = new FakeClock();
    const stop = new AbortController();
    const deadline = new Deadline({ clock, at: clock.now() + 1, stops: [stop.signal] });
    deadline.release();
    await settle();
    expect(clock.busy).toBe(false);
    clock.advance(10);
    stop.abort();
    await settle();
    expect(deadline.signal.aborted).toBe(false);
  });

  it("shares its stop with any number of others without a warning of Node", async () => {
    const program = `
      import { Deadline } from "./src/deadline.ts";
      const { signal } = new AbortController();
      for (let index = 0; index < 50; index++) new Deadline({ clock: null, at: null, stops: [signal] });`;
    const node = ["--import", "tsx", "--input-type=module", "--eval", program];
    const { stderr } = await promisify(execFile)(process.execPath, node, { cwd: rootDir });
    expect(stderr).not.toContain("Warning");
  });
});

import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { Limiter } from "../../src/service/limiter.ts";
import { FakeClock, settle } from "./support/fake-clock.ts";

const never = new AbortController().signal;

/** Most moments in any window of one second. */
function busiestSecond(moments: readonly number[]): number {
  const sorted = [...moments].sort((a, b) => a - b);
  return Math.max(
    0,
    ...sorted.map((start) => sorted.filter((moment) => moment >= start && moment < start + 1000).length),
  );
}

describe("the limiter", () => {
  it("never lets the service see more than the limit in any second, however long requests take to arrive", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 20 }),
        fc.integer({ min: 1, max: 8 }),
        fc.array(
          fc.record({
            latencyMs: fc.integer({ min: 0, max: 1500 }),
            arrivesAfter: fc.double({ min: 0, max: 1, noNaN: true }),
          }),
          {
            maxLength: 60,
          },
        ),
        async (perSecond, concurrent, requests) => {
          const clock = new FakeClock();
          const limiter = new Limiter({ clock, perSecond, concurrent });
          const arrivals: number[] = [];
          const order: number[] = [];
          let running = 0;
          let mostRunning = 0;
          const done = Promise.all(
            requests.map(({ latencyMs, arrivesAfter }, index) =>
              limiter.run(never, async () => {
                order.push(index);
                mostRunning = Math.max(mostRunning, ++running);
                arrivals.push(clock.now() + latencyMs * arrivesAfter);
                await clock.sleep(latencyMs);
                running--;
              }),
            ),
          );
          await clock.drain();
          await done;
          expect(busiestSecond(arrivals)).toBeLessThanOrEqual(perSecond);
          expect(mostRunning).toBeLessThanOrEqual(concurrent);
          expect(order).toEqual([...order].sort((a, b) => a - b));
          expect(order).toHaveLength(requests.length);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("uses the whole limit in the first second, and the next one right after", async () => {
    const clock = new FakeClock(0);
    const limiter = new Limiter({ clock, perSecond: 50, concurrent: 8 });
    const starts: number[] = [];
    const all = Array.from({ length: 145 }, () =>
      limiter.run(never, () => {
        starts.push(clock.now());
        return clock.sleep(20);
      }),
    );
    await clock.drain();
    await Promise.all(all);
    expect(starts.filter((start) => start < 200)).toHaveLength(50);
    expect(Math.max(...starts)).toBeLessThan(2_200);
  });

  it("goes down to an announced limit and never up", async () => {
    const clock = new FakeClock(0);
    const limiter = new Limiter({ clock, perSecond: 10, concurrent: 10 });
    limiter.slowTo(3.7);
    limiter.slowTo(100);
    const starts: number[] = [];
    const all = Array.from({ length: 9 }, () =>
      limiter.run(never, () => {
        starts.push(clock.now());
        return Promise.resolve();
      }),
    );
    await clock.drain();
    await Promise.all(all);
    expect(busiestSecond(starts)).toBe(3);
  });

  it("lets a waiting request go when its signal aborts, and serves the others", async () => {
    const clock = new FakeClock();
    const limiter = new Limiter({ clock, perSecond: 1, concurrent: 1 });
    const abort = new AbortController();
    await limiter.run(never, () => Promise.resolve());
    const left = limiter.run(abort.signal, () => Promise.resolve("left"));
    const served = limiter.run(never, () => Promise.resolve("served"));
    abort.abort();
    await expect(left).rejects.toThrow("aborted");
    await clock.drain();
    await expect(served).resolves.toBe("served");
  });

  it("leaves no timer behind when nobody waits any more, and still serves whoever comes next", async () => {
    const clock = new FakeClock();
    const limiter = new Limiter({ clock, perSecond: 1, concurrent: 1 });
    const abort = new AbortController();
    await limiter.run(never, () => Promise.resolve());
    const left = limiter.run(abort.signal, () => Promise.resolve());
    abort.abort();
    await expect(left).rejects.toThrow("aborted");
    await settle();
    expect(clock.busy).toBe(false);
    const next = limiter.run(never, () => Promise.resolve("next"));
    await clock.drain();
    await expect(next).resolves.toBe("next");
  });

  it("frees the place of a request that failed", async () => {
    const limiter = new Limiter({ clock: new FakeClock(), perSecond: 5, concurrent: 1 });
    await expect(limiter.run(never, () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    await expect(limiter.run(never, () => Promise.resolve("served"))).resolves.toBe("served");
  });

  it("refuses who waits and whoever comes later, once the service has had enough", async () => {
    const clock = new FakeClock();
    const limiter = new Limiter({ clock, perSecond: 1, concurrent: 1 });
    await limiter.run(never, () => Promise.resolve());
    const waiting = limiter.run(never, () => Promise.resolve());
    limiter.refuse(() => new Error("enough"));
    await expect(waiting).rejects.toThrow("enough");
    await expect(limiter.run(never, () => Promise.resolve())).rejects.toThrow("enough");
    await settle();
    expect(clock.busy).toBe(false);
  });

  it("does not stand still when the clock is set back", async () => {
    let now = 1_000_000;
    const sleeps: number[] = [];
    const limiter = new Limiter({
      clock: {
        now: () => now,
        sleep: (ms) => {
          sleeps.push(ms);
          now += ms;
          return Promise.resolve();
        },
      },
      perSecond: 1,
      concurrent: 1,
    });
    await limiter.run(never, () => Promise.resolve());
    now -= 600_000;
    await expect(limiter.run(never, () => Promise.resolve("served"))).resolves.toBe("served");
    expect(Math.max(...sleeps)).toBeLessThan(2_000);
  });
});

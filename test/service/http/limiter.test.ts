import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { Limiter, type LimiterOptions } from "../../../src/service/http/limiter.ts";
import { FakeClock, settle } from "../../support/fake-clock.ts";

const never = new AbortController().signal;

/** A limiter whose requests are never slow, unless the options say otherwise. */
function limiterOf(
  options: Pick<LimiterOptions, "clock" | "perSecond" | "concurrent"> & Partial<LimiterOptions>,
): Limiter {
  return new Limiter({ open: 64, ...options });
}

/** Most moments in any window of one second. */
function busiestSecond(moments: readonly number[]): number {
  const sorted = [...moments].sort((a, b) => a - b);
  return Math.max(
    0,
    ...sorted.map((start) => sorted.filter((moment) => moment >= start && moment < start + 1000).length),
  );
}

/** Most moments in a window of one second that starts with the first request after the one before (ulule/limiter). */
function mostInFixedWindows(moments: readonly number[]): number {
  let [startedAt, count, most] = [-Infinity, 0, 0];
  for (const moment of [...moments].sort((a, b) => a - b)) {
    if (moment - startedAt >= 1000) [startedAt, count] = [moment, 0];
    most = Math.max(most, ++count);
  }
  return most;
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
          const limiter = limiterOf({ clock, perSecond, concurrent });
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
                // After a second, a request is slow and counts no more.
                const counted = Math.min(latencyMs, 999);
                await clock.sleep(counted);
                running--;
                await clock.sleep(latencyMs - counted);
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
    const limiter = limiterOf({ clock, perSecond: 50, concurrent: 8 });
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

  it("never gets a 429 at 53 from a service that enforces 55, whichever way that counts and however long requests take", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            latencyMs: fc.integer({ min: 0, max: 400 }),
            arrivesAfter: fc.double({ min: 0, max: 1, noNaN: true }),
          }),
          { minLength: 1, maxLength: 40 },
        ),
        async (latencies) => {
          const clock = new FakeClock();
          const limiter = limiterOf({ clock, perSecond: 53, concurrent: 8 });
          const arrivals: number[] = [];
          const done = Promise.all(
            Array.from({ length: 250 }, (_, index) =>
              limiter.run(never, () => {
                const { latencyMs, arrivesAfter } = latencies[index % latencies.length]!;
                arrivals.push(clock.now() + latencyMs * arrivesAfter);
                return clock.sleep(latencyMs);
              }),
            ),
          );
          await clock.drain();
          await done;
          expect(busiestSecond(arrivals)).toBeLessThanOrEqual(53);
          expect(mostInFixedWindows(arrivals)).toBeLessThanOrEqual(53);
        },
      ),
      { numRuns: 20 },
    );
  });

  it("admits one request in several seconds where less than one a second is allowed", async () => {
    const clock = new FakeClock(0);
    const limiter = limiterOf({ clock, perSecond: 10, concurrent: 10 });
    limiter.slowTo(0.25);
    const starts: number[] = [];
    const all = Array.from({ length: 4 }, () =>
      limiter.run(never, () => {
        starts.push(clock.now());
        return Promise.resolve();
      }),
    );
    await clock.drain();
    await Promise.all(all);
    expect(starts.slice(1).map((start, index) => Math.floor((start - (starts[index] ?? 0)) / 1_000))).toEqual([
      4, 4, 4,
    ]);
  });

  it("goes down to an announced limit and never up", async () => {
    const clock = new FakeClock(0);
    const limiter = limiterOf({ clock, perSecond: 10, concurrent: 10 });
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

  it.each([
    [1, 8, 2_505],
    [53, 1, 0],
  ])("at %i a second, %i at a time, says how long they waited: %i ms", async (perSecond, concurrent, heldBackMs) => {
    const clock = new FakeClock();
    const limiter = limiterOf({ clock, perSecond, concurrent });
    const both = Promise.all([1, 2].map(() => limiter.run(never, () => clock.sleep(1_500))));
    await clock.drain();
    await both;
    expect(limiter.heldBackMs).toBe(heldBackMs);
  });

  it("lets a waiting request go when its signal aborts, and serves the others", async () => {
    const clock = new FakeClock();
    const limiter = limiterOf({ clock, perSecond: 1, concurrent: 1 });
    const abort = new AbortController();
    await limiter.run(never, () => Promise.resolve());
    const left = limiter.run(abort.signal, () => Promise.resolve("left"));
    const served = limiter.run(never, () => Promise.resolve("served"));
    abort.abort();
    await expect(left).rejects.toThrow("aborted");
    await clock.drain();
    await expect(served).resolves.toBe("served");
  });

  it("leaves no timer behind when no request waits any more, and still admits the next one", async () => {
    const clock = new FakeClock();
    const limiter = limiterOf({ clock, perSecond: 1, concurrent: 1 });
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
    const limiter = limiterOf({ clock: new FakeClock(), perSecond: 5, concurrent: 1 });
    await expect(limiter.run(never, () => Promise.reject(new Error("failed")))).rejects.toThrow("failed");
    await expect(limiter.run(never, () => Promise.resolve("served"))).resolves.toBe("served");
  });

  it("refuses waiting and later requests once the service has reported its rate limit", async () => {
    const clock = new FakeClock();
    const limiter = limiterOf({ clock, perSecond: 1, concurrent: 1 });
    await limiter.run(never, () => Promise.resolve());
    const waiting = limiter.run(never, () => Promise.resolve());
    limiter.refuse(new Error("enough"), Infinity);
    await expect(waiting).rejects.toThrow("enough");
    await expect(limiter.run(never, () => Promise.resolve())).rejects.toThrow("enough");
    await settle();
    expect(clock.busy).toBe(false);
  });

  it("keeps its pace, and does not stand still, whenever the clock of the machine is set", async () => {
    const clock = new FakeClock();
    const starts: number[] = [];
    const limiter = limiterOf({ clock, perSecond: 1, concurrent: 1 });
    const runs = [600_000, -1_200_000, 5, 0].map((move) =>
      limiter.run(never, () => {
        starts.push(clock.monotonic());
        clock.set(move);
        void clock.sleep(500).then(() => {
          clock.set(move);
        });
        return Promise.resolve();
      }),
    );
    await clock.drain();
    await Promise.all(runs);
    const pauses = starts.slice(1).map((start, index) => start - starts[index]!);
    expect(pauses).toEqual([1_005, 1_005, 1_005]);
  });
});

describe("slow requests", () => {
  /** Starts requests that end when the test says so; `started` has the indexes of those that were admitted. */
  function requests(limiter: Limiter, count: number) {
    const started: number[] = [];
    const givenUp: number[] = [];
    const heads: (() => void)[] = [];
    const bodies: ((bytes: number) => void)[] = [];
    const trickles: (() => void)[] = [];
    const ends: (() => void)[] = [];
    const all = Array.from({ length: count }, (_, index) =>
      limiter.run(never, ({ onHead, onBody, onTrickle, givenUp: signal }) => {
        started.push(index);
        return new Promise<void>((resolve) => {
          heads[index] = onHead.bind(undefined, false);
          bodies[index] = onBody;
          trickles[index] = onTrickle;
          ends[index] = resolve;
          signal.addEventListener("abort", () => {
            givenUp.push(index);
            resolve();
          });
        });
      }),
    );
    return { started, givenUp, heads, bodies, trickles, ends, all };
  }
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

  it("let others go ahead after a second without a head, and count again once it has arrived", async () => {
    const clock = new FakeClock();
    const limiter = limiterOf({ clock, perSecond: 50, concurrent: 2 });
    const { started, heads, ends } = requests(limiter, 6);
    await settle();
    clock.advance(999);
    await settle();
    expect(started).toEqual(upTo(2));
    clock.advance(1);
    await settle();
    expect(started).toEqual(upTo(4));
    heads[0]!();
    heads[1]!();
    ends[2]!();
    await settle();
    ends[0]!();
    await settle();
    expect(started).toEqual(upTo(4));
    ends[1]!();
    await settle();
    expect(started).toEqual(upTo(5));
  });

  it("do not let others go ahead while their body arrives, however long that takes", async () => {
    const clock = new FakeClock();
    const limiter = limiterOf({ clock, perSecond: 50, concurrent: 1 });
    const { started, givenUp, heads, bodies } = requests(limiter, 2);
    await settle();
    heads[0]!();
    for (let piece = 0; piece < 60; piece++) {
      clock.advance(1_999);
      await settle();
      bodies[0]!(1_460);
    }
    expect([started, givenUp]).toEqual([[0], []]);
  });

  it.each([
    ["stalls", 0],
    ["comes in drips", 100],
  ])("let others go ahead after two seconds in which their body %s", async (_, bytes) => {
    const clock = new FakeClock();
    const limiter = limiterOf({ clock, perSecond: 50, concurrent: 8 });
    const { started, givenUp, heads, bodies } = requests(limiter, 20);
    await settle();
    for (const head of heads) head();
    for (let drip = 0; drip < 9; drip++) {
      clock.advance(200);
      await settle();
      for (const body of bodies) body(bytes);
    }
    clock.advance(199);
    await settle();
    expect(started).toEqual(upTo(8));
    clock.advance(1);
    await settle();
    expect(started).toEqual(upTo(16));
    clock.advance(1_000);
    await settle();
    expect([started, givenUp]).toEqual([upTo(20), []]);
  });

  it("count again once their body goes on", async () => {
    const clock = new FakeClock();
    const limiter = limiterOf({ clock, perSecond: 50, concurrent: 2 });
    const { started, heads, bodies, ends } = requests(limiter, 4);
    await settle();
    heads[0]!();
    clock.advance(2_000);
    await settle();
    expect(started).toEqual(upTo(4));
    const later = requests(limiter, 1);
    bodies[0]!(1_460);
    ends[1]!();
    ends[2]!();
    await settle();
    expect(later.started).toEqual([]);
    ends[3]!();
    await settle();
    expect(later.started).toEqual([0]);
  });

  it("count for the limit in a second until one second after their head, or after five seconds on their way", async () => {
    const clock = new FakeClock();
    const limiter = limiterOf({ clock, perSecond: 3, concurrent: 8 });
    const { started, heads } = requests(limiter, 9);
    await settle();
    clock.advance(2_000);
    heads[1]!();
    await settle();
    clock.advance(1_004);
    await settle();
    expect(started).toEqual(upTo(3));
    clock.advance(1);
    await settle();
    expect(started).toEqual(upTo(4));
    clock.advance(2_999);
    heads[3]!();
    heads[0]!();
    await settle();
    expect(started).toEqual(upTo(4));
    clock.advance(1);
    await settle();
    expect(started).toEqual(upTo(6));
  });

  it("are given up, longest wait first, when all connections are open and somebody waits", async () => {
    const clock = new FakeClock();
    const limiter = limiterOf({ clock, perSecond: 100, concurrent: 4, open: 8 });
    const { started, givenUp } = requests(limiter, 9);
    await settle();
    clock.advance(1_000);
    await settle();
    expect([started, givenUp]).toEqual([upTo(8), []]);
    clock.advance(999);
    await settle();
    expect([started, givenUp]).toEqual([upTo(8), []]);
    clock.advance(1);
    await settle();
    expect([started, givenUp]).toEqual([upTo(9), [0]]);
  });

  it("are given up when all connections are open, those whose body stalls too, and not those whose body arrives", async () => {
    const clock = new FakeClock();
    const limiter = limiterOf({ clock, perSecond: 100, concurrent: 4, open: 4 });
    const { started, givenUp, heads, bodies } = requests(limiter, 6);
    await settle();
    clock.advance(10);
    for (const head of heads) head();
    for (let piece = 0; piece < 3; piece++) {
      clock.advance(1_100);
      bodies[0]!(1_460);
      await settle();
    }
    expect([started, givenUp]).toEqual([upTo(6), [1, 2]]);
  });

  it("do not starve the others of a limit that they alone use up", async () => {
    const clock = new FakeClock();
    const limiter = limiterOf({ clock, perSecond: 2, concurrent: 8 });
    const hung = requests(limiter, 2);
    const others = requests(limiter, 2);
    await settle();
    clock.advance(5_000);
    await settle();
    expect(others.started).toEqual([]);
    clock.advance(1_005);
    await settle();
    expect([hung.givenUp, others.started]).toEqual([[], [0, 1]]);
  });

  it("are not given up as long as nobody waits", async () => {
    const clock = new FakeClock();
    const idle = limiterOf({ clock, perSecond: 10, concurrent: 8, open: 8 });
    const { started, givenUp } = requests(idle, 8);
    await settle();
    clock.advance(600_000);
    await settle();
    expect([started, givenUp]).toEqual([upTo(8), []]);
  });

  it("are half as many at a time once bodies arrive too slowly to be waited for, however many of them do so together", async () => {
    const clock = new FakeClock();
    const limiter = limiterOf({ clock, perSecond: 100, concurrent: 8 });
    const { started, heads, trickles, ends } = requests(limiter, 20);
    await settle();
    for (const index of upTo(8)) {
      heads[index]!();
      trickles[index]!();
      ends[index]!();
    }
    await settle();
    expect(started).toEqual(upTo(12));
    // Of those, too, a pause says less than before.
    for (const index of [8, 9, 10, 11]) heads[index]!();
    clock.advance(3_999);
    await settle();
    expect(started).toEqual(upTo(12));
    trickles[8]!();
    ends[8]!();
    ends[9]!();
    await settle();
    expect(started).toEqual(upTo(12));
    ends[10]!();
    await settle();
    expect(started).toEqual(upTo(13));
  });

  it("are as many at a time as before once bodies have arrived in time for five minutes for each halving", async () => {
    const clock = new FakeClock();
    const limiter = limiterOf({ clock, perSecond: 100, concurrent: 8 });
    const atOnce = async (trickling = false): Promise<number> => {
      const { started, heads, trickles, ends, all } = requests(limiter, 20);
      await settle();
      const count = started.length;
      for (const index of upTo(20)) {
        heads[index]?.();
        if (trickling) trickles[index]?.();
        ends[index]?.();
        await settle();
      }
      clock.advance(10_000);
      await Promise.all(all);
      return count;
    };
    expect(await atOnce(true)).toBe(8);
    clock.advance(1_000);
    expect(await atOnce()).toBeLessThan(8);
    for (let minute = 0; minute < 30; minute += 1) {
      clock.advance(60_000);
      await atOnce();
    }
    expect(await atOnce()).toBe(8);
  });

  it("leave no timer behind when all have been admitted", async () => {
    const clock = new FakeClock();
    const limiter = limiterOf({ clock, perSecond: 50, concurrent: 1 });
    const { ends, all } = requests(limiter, 2);
    await settle();
    expect(clock.busy).toBe(true);
    ends[0]!();
    await settle();
    expect(clock.busy).toBe(false);
    ends[1]!();
    await Promise.all(all);
  });
});

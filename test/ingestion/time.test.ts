import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { HOUR_MS, MINUTE_MS } from "../../src/clock.ts";
import { clockMemory, latestCursor, pollTime } from "../../src/ingestion/time.ts";
import { NOW, NOW_HOUR } from "../support/streams.ts";

/** The clocks of a run in which both were right. */
const RIGHT = clockMemory({ host: NOW, service: NOW, trusted: NOW });
const LATER = NOW + 10 * MINUTE_MS;

describe("the time of a run", () => {
  it("is the service's own in a first run, and a clock that is far ahead of the host's is not believed", () => {
    expect(pollTime(undefined, NOW, NOW + 5_000)).toMatchObject({ service: NOW + 5_000, trusted: NOW + 5_000 });
    expect(pollTime(undefined, NOW, NOW + 900 * HOUR_MS).trusted).toBe(NOW + HOUR_MS);
  });

  it("is the host's when the service does not say, but never runs back from what the service said before", () => {
    expect(pollTime(undefined, NOW, null)).toMatchObject({ service: NOW, trusted: NOW });
    expect(pollTime(RIGHT, LATER, null).service).toBe(LATER);
    expect(pollTime(RIGHT, NOW - HOUR_MS, null).service).toBe(NOW);
  });

  it("tells what was before the last run only by a service's clock that goes on", () => {
    expect(pollTime(RIGHT, LATER, LATER).lastRun).toBe(NOW);
    expect(pollTime(RIGHT, LATER, null).lastRun).toBeNull();
    expect(pollTime(RIGHT, LATER, NOW - HOUR_MS).lastRun).toBeNull();
  });

  it("follows the service's clock while both clocks go on as they should", () => {
    expect(pollTime(RIGHT, LATER, LATER + 30_000)).toEqual({
      host: LATER,
      service: LATER + 30_000,
      trusted: LATER + 30_000,
      lastRun: NOW,
      earliestNew: NOW + 30_000 - HOUR_MS,
    });
  });

  it("does not trust a service's clock that jumps ahead at once, and trusts it after a while", () => {
    const leap = pollTime(RIGHT, LATER, LATER + 48 * HOUR_MS);
    expect(leap.trusted).toBe(NOW + 21 * MINUTE_MS);
    let time = leap;
    for (let poll = 1; poll <= 48 * 6 + 10; poll++) {
      const now = LATER + poll * 10 * MINUTE_MS;
      time = pollTime(clockMemory(time), now, now + 48 * HOUR_MS);
    }
    expect(time.trusted).toBe(time.service);
  });

  it("is right again in the next run after a gateway named a time of long ago once", () => {
    const wrong = pollTime(RIGHT, LATER, 7_000);
    const next = LATER + 10 * MINUTE_MS;
    expect([wrong.trusted, pollTime(clockMemory(wrong), next, next).trusted]).toEqual([7_000, next - HOUR_MS]);
  });

  it("goes back at once with a service's clock that is set back, and looks for new findings since then", () => {
    const time = pollTime(RIGHT, LATER, LATER - 5 * HOUR_MS);
    expect(time).toMatchObject({ trusted: LATER - 5 * HOUR_MS, earliestNew: NOW - 6 * HOUR_MS });
    expect(latestCursor(time)).toBe(NOW_HOUR - 5);
  });

  it("does not look further back because the host's clock leapt ahead", () => {
    const time = pollTime(RIGHT, NOW + 900 * HOUR_MS, LATER);
    expect(time.earliestNew).toBe(NOW - HOUR_MS);
  });

  it("looks back over a pause of any length", () => {
    const back = NOW + 900 * HOUR_MS;
    expect(pollTime(RIGHT, back, back).earliestNew).toBe(NOW - HOUR_MS);
    expect(pollTime(RIGHT, back, back - 2 * HOUR_MS).earliestNew).toBeLessThanOrEqual(NOW - HOUR_MS);
  });

  it("takes a host's clock that is set back for no time at all", () => {
    const time = pollTime(RIGHT, NOW - 900 * HOUR_MS, LATER);
    expect(time.trusted).toBe(NOW + MINUTE_MS);
    expect(time.earliestNew).toBe(LATER - HOUR_MS);
  });

  it("does not take the correction of a host's clock that was set back for a long pause", () => {
    const setBack = pollTime(RIGHT, NOW - 900 * HOUR_MS, LATER);
    const corrected = LATER + 10 * MINUTE_MS;
    expect(pollTime(clockMemory(setBack), corrected, corrected).earliestNew).toBe(LATER - HOUR_MS);
  });

  const seconds = fc.integer({ min: 1, max: 4_000_000_000 });
  const remembered = fc.record({ host: seconds, service: seconds, trusted: seconds });

  it("is never trusted further than the service's clock, nor more than twice the elapsed time and a minute at once, or to an hour behind the host's", () => {
    fc.assert(
      fc.property(remembered, seconds, fc.option(seconds), (memory, now, service) => {
        const time = pollTime(memory, now * 1000, service === null ? null : service * 1000);
        expect(time.trusted).toBeLessThanOrEqual(time.service);
        const elapsed = Math.max(0, now - memory.host);
        expect(time.trusted).toBeLessThanOrEqual(
          Math.max((memory.trusted + 2 * elapsed + 60) * 1000, now * 1000 - HOUR_MS),
        );
        expect(time.earliestNew).toBeLessThan(time.service);
      }),
    );
  });

  it("is remembered in whole seconds that a state can hold, whatever the clocks say", () => {
    const any = fc.integer({ min: -1e15, max: 1e15 });
    fc.assert(
      fc.property(any, any, any, (host, service, trusted) => {
        const memory = clockMemory({ host, service, trusted });
        for (const value of Object.values(memory)) expect(Number.isInteger(value) && value >= 0).toBe(true);
      }),
    );
  });
});

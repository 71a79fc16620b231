import { describe, expect, it } from "@jest/globals";
import { HOUR_MS, MINUTE_MS } from "../../src/clock.ts";
import { RateLimitedError } from "../../src/service/errors/errors.ts";
import { FakeHost, made, S1, S2, twoByTwo } from "./support/fake-host.ts";
import { type FakeTenant, refusal } from "./support/fake-service.ts";

const rateLimited = new RateLimitedError("wait", { whoActs: "service" });

describe("a tenant that takes fewer requests than usual", () => {
  /** Polls once a minute; gives the rate that each run leaves to the next one. */
  function rates(soar: FakeHost): (environments: FakeTenant["environments"], runs?: number) => Promise<number[]> {
    return async (environments, runs = 1) => {
      const left: number[] = [];
      for (let run = 0; run < runs; run++) {
        soar.tenant.environments = environments;
        soar.tenant.requestsSent = 1_000;
        await soar.poll();
        left.push((soar.state as { requestsPerSecond?: number }).requestsPerSecond ?? 53);
        soar.clock.advance(MINUTE_MS);
      }
      return left;
    };
  }

  it("is asked half as often after each refusal, twice as often after each busy run once a pause is over, and then as usual", async () => {
    const poll = rates(new FakeHost(twoByTwo()));
    expect(await poll(rateLimited, 2)).toEqual([26, 13]);
    expect(await poll([S1, S2], 9)).toEqual(Array.from({ length: 9 }, () => 13));
    expect(await poll([S1, S2], 3)).toEqual([26, 52, 53]);
  });

  it("is asked for more after runs that waited for the rate limit, however few requests slow responses left room for", async () => {
    const soar = new FakeHost(twoByTwo());
    await rates(soar)(rateLimited, 3);
    soar.tenant.environments = [S1, S2];
    soar.tenant.requestsSent = 10;
    soar.tenant.heldBackMs = 3_000;
    soar.clock.advance(10 * MINUTE_MS);
    await soar.poll();
    expect(soar.state).toMatchObject({ requestsPerSecond: 12 });
  });

  it("is asked for more less and less often when it refuses more each time", async () => {
    const soar = new FakeHost(twoByTwo({ requestsPerSecond: 53 }));
    const poll = rates(soar);
    await poll(rateLimited, 6);
    const refusedAt: number[] = [];
    for (let minute = 0; minute < 24 * 60; minute++) {
      const [rate] = await poll(
        (soar.state as { requestsPerSecond: number }).requestsPerSecond > 1 ? rateLimited : [S1, S2],
      );
      if (rate === 1 && soar.tenant.environments === rateLimited) refusedAt.push(minute);
    }
    const gaps = refusedAt.slice(1).map((minute, index) => Math.round((minute - (refusedAt[index] ?? 0)) / 10) * 10);
    expect(gaps).toEqual([20, 40, 80, 160, 320, 360, 360]);
  });

  it("is not blamed for a storm of refusals: the pause stays as short as after one", async () => {
    const poll = rates(new FakeHost(twoByTwo()));
    expect((await poll(rateLimited, 12)).at(-1)).toBe(1);
    expect((await poll([S1, S2], 16)).slice(-7)).toEqual([2, 4, 8, 16, 32, 53, 53]);
  });

  it("is not asked more often after a run that had little to ask", async () => {
    const soar = new FakeHost(twoByTwo({ environments: rateLimited }));
    await soar.poll();
    soar.tenant.environments = [S1, S2];
    for (let run = 0; run < 3; run++) {
      soar.clock.advance(HOUR_MS);
      await soar.poll();
    }
    expect(soar.state).toMatchObject({ requestsPerSecond: 26 });
  });

  it("is asked once a second at least when it always refuses one environment, and answers the others", async () => {
    const soar = new FakeHost(twoByTwo({ requestsPerSecond: 53, types: { "S-1": ["A"], "S-2": refusal("S-2") } }));
    const rate = (): number => (soar.state as { requestsPerSecond: number }).requestsPerSecond;
    const delivered: string[] = [];
    for (let run = 0; run < 24; run++) {
      soar.tenant.findings["S-1 A"] = made(1, run + 1);
      delivered.push(...(await soar.poll()).ids);
      soar.clock.advance(MINUTE_MS);
    }
    expect(rate()).toBe(1);
    expect(delivered).toContain("20");
    // No rate was doubled in vain.
    expect(soar.state).toMatchObject({ refusedRate: { pause: 600 } });
    soar.tenant.listsGranted = 0;
    for (let run = 0; run < 2; run++) await soar.poll();
    expect(rate()).toBeLessThan(1);
  });

  it("is asked once a second at least also where the id of the environment is not plain", async () => {
    const odd = { id: "tenant(1)" };
    const environments = [S1, odd];
    const soar = new FakeHost(
      twoByTwo({ environments, requestsPerSecond: 53, types: { "S-1": ["A"], [odd.id]: refusal(odd.id) } }),
    );
    expect((await rates(soar)(environments, 12)).at(-1)).toBe(1);
  });

  it("is asked once a second at least, unless it answers before it refuses: then once in 16 seconds", async () => {
    const silent = rates(new FakeHost(twoByTwo({ requestsPerSecond: 2 })));
    expect(await silent(rateLimited, 3)).toEqual([1, 1, 1]);
    const slow = rates(new FakeHost(twoByTwo({ requestsPerSecond: 2, listsGranted: 0 })));
    expect(await slow([S1, S2], 6)).toEqual([1, 0.5, 0.25, 0.125, 0.0625, 0.0625]);
  });
});

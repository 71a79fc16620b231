import { describe, expect, it } from "@jest/globals";
import { RequestLimit, RequestLimitError } from "../../../src/investigation/result/request-limit.ts";
import { RateLimitedError } from "../../../src/service/errors/errors.ts";
import { fakeService } from "../../support/fake-service.ts";

/** A service that sends each request so many times until it is answered, and has sent others before. */
function repeating(times: number) {
  let sent = 7;
  const shortest = () => {
    sent += times;
    return Promise.resolve(null);
  };
  const service = fakeService({ paths: { shortest } });
  return Object.defineProperty(service, "requestsSent", { get: () => sent });
}

async function askFor(paths: number, limit: RequestLimit): Promise<void> {
  for (let at = 0; at < paths; at += 1) await limit.service().paths.shortest("A", "B");
}

describe("RequestLimit", () => {
  it.each([
    [0, 1, 5],
    [0, 3, 15],
    [30, 1, 35],
    [30, 3, 45],
  ])("adds to %d requests of earlier runs five that are sent %d times each: %d", async (before, times, all) => {
    const limit = new RequestLimit(repeating(times), 60, before);
    expect(limit.spent).toBe(before);
    await askFor(5, limit);
    expect([limit.spent, limit.left]).toEqual([all, 60 - all]);
  });

  it("counts requests that are about to be sent", () => {
    const limit = new RequestLimit(repeating(0), 60, 30);
    void askFor(1, limit);
    expect(limit.spent).toBe(31);
  });

  it("does not count what the run had no time for, or what the rate limit kept from being sent", async () => {
    const refused = new RateLimitedError("too many requests", { whoActs: "service" });
    const paths = { shortest: () => Promise.reject(refused) };
    const limit = new RequestLimit(fakeService({ paths, requestsSent: 0 }), 60);
    await expect(askFor(1, limit)).rejects.toBe(refused);
    expect(limit.spent).toBe(0);
  });

  it("refuses the next request once repeated ones have used up the limit", async () => {
    const limit = new RequestLimit(repeating(3), 40, 30);
    await askFor(4, limit);
    await expect(askFor(1, limit)).rejects.toBeInstanceOf(RequestLimitError);
    expect(limit.left).toBe(0);
  });
});

import { describe, expect, it } from "@jest/globals";
import { Failures } from "../../src/ingestion/failures.ts";
import {
  ClockSkewError,
  ForbiddenError,
  NetworkError,
  RateLimitedError,
  type ServiceError,
  TimeoutError,
  UnauthenticatedError,
} from "../../src/service/errors.ts";

const silent = () => undefined;
const service = { whoActs: "service" } as const;
const forbidden = new ForbiddenError("no", service);
const lost = new NetworkError("lost", service);
const slow = new TimeoutError("slow", service);

/** What is left of a run after these errors in a row; null stands for work that went well. */
async function after(errors: (ServiceError | null)[]): Promise<Failures> {
  const failures = new Failures({ debug: silent, info: silent, warn: silent, error: silent });
  for (const [index, error] of errors.entries()) {
    await failures.guard(`work ${index}`, `environment ${index}`, () =>
      error === null ? Promise.resolve() : Promise.reject(error),
    );
  }
  return failures;
}

describe("the failures of a run", () => {
  it("that concern one piece of work leave the rest of the run alone", async () => {
    const failures = await after([forbidden, null, forbidden, forbidden, forbidden]);
    expect([failures.ending, failures.list.length]).toEqual([null, 4]);
    expect([...failures.environments]).toEqual(["environment 0", "environment 2", "environment 3", "environment 4"]);
  });

  it.each([
    new UnauthenticatedError("key", service),
    new ClockSkewError("clock", service, null),
    new RateLimitedError("wait", service, null),
  ])("end it when every further request would meet them: $code", async (error) => {
    const failures = await after([null, error]);
    expect(failures.ending).toEqual({ what: "work 1", error });
    expect(await failures.guard("more", "environment", () => Promise.resolve("done"))).toBeNull();
  });

  it("end it after three outages in a row, and not when one answer came in between", async () => {
    expect((await after([lost, slow, null, lost, slow])).ending).toBeNull();
    expect((await after([lost, slow, forbidden, lost, slow])).ending).toBeNull();
    expect((await after([lost, slow, lost])).ending?.error).toBe(lost);
  });

  it("are those of the service: a fault of the plugin itself is thrown on", async () => {
    const failures = await after([]);
    const fault = new TypeError("fault");
    await expect(failures.guard("work", "environment", () => Promise.reject(fault))).rejects.toBe(fault);
  });
});

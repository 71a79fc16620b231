import { describe, expect, it } from "@jest/globals";
import { isForNextRun, settleEach, sharedCause } from "../../../src/investigation/result/each.ts";
import { silent } from "../../../src/logger.ts";
import { AbortedError, ServerError, UnauthenticatedError } from "../../../src/service/errors/errors.ts";

const details = { whoActs: "service" } as const;
const rejected = new UnauthenticatedError("wrong key", details);
const broken = new ServerError("broken", details);

describe("settleEach", () => {
  const items = Array.from({ length: 20 }, (_, index) => index);

  it("asks nothing more once the credentials are rejected, and fails what remains with the same error", async () => {
    const asked: number[] = [];
    const settled = await settleEach(
      items,
      (item) => {
        asked.push(item);
        return item === 0 ? Promise.reject(rejected) : new Promise((resolve) => setImmediate(resolve, item));
      },
      silent,
    );
    expect(asked).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(settled).toEqual(items.map((item) => (item > 0 && item < 8 ? { value: item } : { error: rejected })));
  });

  it("goes on with the others after any other error of the service", async () => {
    const work = (item: number) => (item === 3 ? Promise.reject(broken) : Promise.resolve(item));
    const settled = await settleEach(items, work, silent);
    expect(settled).toEqual(items.map((item) => (item === 3 ? { error: broken } : { value: item })));
  });

  it("throws what is no error of the service", async () => {
    const mistake = new TypeError("x is not a function");
    await expect(settleEach(items, () => Promise.reject(mistake), silent)).rejects.toBe(mistake);
  });
});

describe("what failed", () => {
  it("has one cause only when all of it failed in the same way", () => {
    expect(sharedCause([])).toBeNull();
    expect(sharedCause([{ error: broken }, { value: 1 }])).toBeNull();
    expect(sharedCause([{ value: 1 }, { error: broken }])).toBeNull();
    expect(sharedCause([{ error: broken }, { error: rejected }])).toBeNull();
    expect(sharedCause([{ error: broken }, { error: broken }])).toBe(broken);
  });

  it("is for the next run when this one was stopped", () => {
    expect(isForNextRun(new AbortedError("stopped", details))).toBe(true);
    expect(isForNextRun(broken)).toBe(false);
  });
});

import { expect, test } from "@jest/globals";
import { PageSizes } from "../../../src/service/lists/page-size.ts";
import {
  BadRequestError,
  NetworkError,
  ProtocolError,
  ServerError,
  TooLargeError,
} from "../../../src/service/errors/errors.ts";

const DETAILS = { whoActs: "service" } as const;
const rejected = new BadRequestError("limit is too large", DETAILS);
const light = { characters: 10, tookMs: 1 };

test("a page that grew and is rejected becomes as small as the one that arrived, and stays so", () => {
  const sizes = new PageSizes();
  sizes.limit = 10;
  const size = sizes.forList();
  size.arrived(light);
  size.arrived(light);
  expect(size.limit).toBe(1_000);
  expect([size.shrink(rejected), size.limit]).toEqual([true, 100]);
  for (let pages = 0; pages < 1_000; pages++) size.arrived(light);
  expect(size.limit).toBe(100);
  expect(sizes.forList().limit).toBe(100);
});

test("a page that was too much is tried again after ten light ones, and later when it was too much again", () => {
  const size = new PageSizes().forList();
  const tooLarge = new TooLargeError("too large", DETAILS);
  /** How many light pages there are until one grows, and the size of each of them. */
  const untilLarger = (): [number, number] => {
    const { limit } = size;
    let pages = 0;
    while (size.limit <= limit && pages < 100) {
      size.arrived(light);
      pages += 1;
    }
    return [pages, limit];
  };
  for (let times = 0; times < 3; times++) size.shrink(tooLarge);
  expect([untilLarger(), untilLarger()]).toEqual([
    [10, 2],
    [10, 10],
  ]);
  size.shrink(tooLarge);
  expect(untilLarger()).toEqual([20, 10]);
  size.arrived({ characters: 10, tookMs: 3_001 });
  expect(untilLarger()).toEqual([20, 100]);
  expect(size.limit).toBe(1_000);
});

test("where each response takes two seconds, pages become large again", () => {
  const sizes = new PageSizes();
  sizes.limit = 2;
  const size = sizes.forList();
  const limits = [2, 10, 100].map((limit) => {
    expect(size.limit).toBe(limit);
    size.arrived({ characters: 10, tookMs: 2_000 });
    return size.limit;
  });
  expect(limits).toEqual([10, 100, 1_000]);
});

const lost = (causeCode: string): NetworkError => new NetworkError("lost", { ...DETAILS, causeCode, retryable: true });

test.each([
  ["502", new ServerError("bad gateway", { ...DETAILS, status: 502 })],
  ["a connection that is lost", lost("ECONNRESET")],
  ["a response that is broken off", new ProtocolError("broken off", { ...DETAILS, retryable: true })],
])(
  "%s may mean that a page is too large: a list tries one smaller size, which others take over once it works",
  (_, error) => {
    const sizes = new PageSizes();
    const size = sizes.forList();
    expect([size.shrink(error), size.limit, sizes.limit]).toEqual([true, 100, 1_000]);
    expect([size.shrink(error), sizes.limit]).toEqual([false, 1_000]);
    size.arrived(light);
    expect(sizes.limit).toBe(100);
    expect([size.shrink(error), size.limit]).toEqual([true, 10]);
  },
);

test("what a service says about its memory or its time is about the size", () => {
  const memory = "calculating the request results exceeded memory limitations due to the volume of objects involved";
  for (const message of [memory, "request timed out"]) {
    const size = new PageSizes().forList();
    const error = new ServerError(message, { ...DETAILS, status: 500 });
    expect([size.shrink(error), size.shrink(error), size.limit]).toEqual([true, true, 10]);
  }
  const broken = new ServerError("an internal error has occurred", { ...DETAILS, status: 500 });
  const nonsense = new ProtocolError("no list", DETAILS);
  for (const error of [broken, lost("ECONNREFUSED"), nonsense])
    expect(new PageSizes().forList().shrink(error)).toBe(false);
});

test("a rejection of what did not grow is not about the size", () => {
  const sizes = new PageSizes();
  expect(sizes.forList().shrink(rejected)).toBe(false);
  sizes.limit = 10;
  const size = sizes.forList();
  expect(size.shrink(rejected)).toBe(false);
  size.arrived(light);
  expect(size.shrink(new TooLargeError("too large", DETAILS))).toBe(true);
  expect([size.shrink(rejected), size.limit]).toEqual([false, 10]);
});

test("what one list has shown of the size is where the next one begins, and the next run", () => {
  const sizes = new PageSizes();
  sizes.limit = 10;
  const size = sizes.forList();
  size.arrived(light);
  expect([sizes.limit, sizes.forList().limit]).toEqual([100, 100]);
  // Also before a page arrives: the run may end first.
  size.shrink(new TooLargeError("too large", DETAILS));
  expect([sizes.limit, sizes.forList().limit]).toEqual([10, 10]);
});

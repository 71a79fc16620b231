import { expect, test } from "@jest/globals";
import { PageSizes } from "../../../src/service/lists/page-size.ts";
import { BadRequestError, TooLargeError } from "../../../src/service/errors/errors.ts";

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
  size.arrived({ characters: 10, tookMs: 5_000 });
  expect(untilLarger()).toEqual([20, 100]);
  expect(size.limit).toBe(1_000);
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

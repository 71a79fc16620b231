import { expect, it } from "@jest/globals";
import { consoleTable, measureConsole } from "../../bench/console.ts";
import { builtPackage } from "../support/package.ts";

it("the bench of the console measures every request of its pages over the built package", async () => {
  const { zip } = await builtPackage();
  const figures = await measureConsole(zip, 200);
  expect(figures.map(({ what }) => what)).toEqual(
    expect.arrayContaining(["case list", "events of a case", "run with its requests and alerts"]),
  );
  expect(figures.every(({ medianMs, worstMs, bytes }) => medianMs > 0 && worstMs >= medianMs && bytes > 2)).toBe(true);
  expect(consoleTable(figures)).toContain("case list");
});

import { expect, it } from "@jest/globals";
import { measureCommandLine, missedBy } from "../../bench/command-line.ts";
import { commandsTable } from "../../bench/tables.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

it("the bench measures commands of the built command line, each as a process", async () => {
  const told: string[] = [];
  const options = { rounds: 1, sizes: [1_000], tell: (text: string) => void told.push(text) };
  const costs = await measureCommandLine(temporaryFolder(), options);
  // Times depend on the machine: they are shown and judge nothing.
  process.stdout.write(`${commandsTable(costs)}\n`);
  expect(costs.map(({ work, requests, lines }) => [work, requests, lines])).toEqual([
    ["ping", 1, 1],
    // Two of them because all lists are as long as a page may be, see costs.test.ts.
    ["findings, 1,000 as JSON lines", 28, 1_000],
  ]);
  for (const { startMs, wallMs, cpuMs, peakBytes } of costs) {
    expect(Math.min(startMs, wallMs - startMs, cpuMs, peakBytes)).toBeGreaterThan(0);
  }
  expect(told).toEqual(costs.map(({ work }) => `command line: ${work}`));
});

it("a command misses the limits that it goes over, and those that could not be measured", () => {
  const limits = { startMs: 150, peakBytes: 100 };
  expect(missedBy({ startMs: 150, peakBytes: 100 }, limits)).toEqual([]);
  expect(missedBy({ startMs: NaN, peakBytes: 101 }, limits)).toEqual(["startMs", "peakBytes"]);
});

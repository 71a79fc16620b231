import { beforeAll, describe, expect, it } from "@jest/globals";
import { runMatrix } from "./matrix.ts";
import { isFalseSuccess, type RowOutcome } from "./row.ts";
import { documentedTable, tableOf, writeTable } from "./table.ts";

let outcomes: RowOutcome[];

beforeAll(async () => {
  // Processes write the documented table. Any other run has to give the same one without starting a process for each row.
  outcomes = await runMatrix(process.env["WRITE_FAULTS"] === "1");
}, 240_000);

/** Rows for which something does not hold, by name. */
function except(holds: (outcome: RowOutcome) => boolean): string[] {
  return outcomes.filter((outcome) => !holds(outcome)).map(({ row, told }) => `${row.fault}: ${told}`);
}

describe("the built plugin under faults", () => {
  it("says of each run what happened", () => {
    const said = outcomes.map(({ row, under }) => ({
      fault: row.fault,
      status: under.status,
      delivered: under.delivered,
      says: row.expected.says.test(under.message) ? "as expected" : under.message,
    }));
    expect(said).toEqual(outcomes.map(({ row: { fault, expected } }) => ({ fault, ...expected, says: "as expected" })));
  });

  it("never calls a run completed that has left something out", () => {
    expect(except((outcome) => !isFalseSuccess(outcome))).toEqual([]);
  });

  it("has lost nothing after a clean run, which is completed", () => {
    expect(except(({ clean, missing }) => clean.status === "completed" && missing.clean === 0)).toEqual([]);
  });

  it("has stored nothing twice", () => {
    expect(except(({ repeated }) => repeated === 0)).toEqual([]);
  });

  it("keeps a state that a platform can store", () => {
    expect(except(({ stateCharacters }) => stateCharacters < 3_000_000)).toEqual([]);
  });

  it("does what the documented table says", async () => {
    // When this fails: npm run faults
    if (process.env["WRITE_FAULTS"] === "1") await writeTable(tableOf(outcomes));
    expect((await documentedTable()).split("\n")).toEqual(tableOf(outcomes).split("\n"));
  });
});

import { expect, it } from "@jest/globals";
import { Selection } from "../../src/ingestion/selection.ts";
import { HOUR_MS } from "../../src/clock.ts";
import { DAY_HOURS } from "../../src/ingestion/time.ts";
import { host, made, S1 } from "./support/fake-host.ts";

it("A finding type that is listed and not selected does not count as gone since it was last selected", async () => {
  const soar = host({
    environments: [S1],
    types: { "S-1": ["A", "B"] },
    findings: { "S-1 A": made(1, 1), "S-1 B": made(11, 2) },
  });
  const day = async (types: string[], selected: string[]): Promise<string[]> => {
    soar.tenant.types["S-1"] = types;
    const { ids } = await soar.poll({ selection: new Selection({ "Selected Finding Types": selected }) });
    soar.clock.advance(DAY_HOURS * HOUR_MS);
    return ids;
  };
  expect(await day(["A", "B"], ["All"])).toEqual(["1", "11", "12"]);
  await day(["A"], ["All"]);
  for (let listed = 0; listed < 7; listed++) await day(["A", "B"], ["A"]);
  await day(["A"], ["A"]);
  expect(await day(["A", "B"], ["All"])).toEqual([]);
});

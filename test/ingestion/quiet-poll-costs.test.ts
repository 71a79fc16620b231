import { expect, it } from "@jest/globals";
import { randomBytes } from "node:crypto";
import { host, S1 } from "./support/fake-host.ts";

it("A quiet poll without evidence asks each empty stream once, and nothing else, however many finding types there are", async () => {
  const types = Array.from({ length: 20 }, (_, i) => `T${i}`);
  const soar = host({
    environments: [S1],
    types: { "S-1": types },
    findings: {},
    description: randomBytes(1_200).toString("base64"),
  });
  await soar.quiet();
  const { asked } = await soar.poll();
  expect(asked.length).toBeLessThanOrEqual(1 + 1 + types.length + 1);
});

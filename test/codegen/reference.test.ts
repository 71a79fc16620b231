import { readFileSync } from "node:fs";
import { expect, it } from "@jest/globals";
import { readmeWithReference } from "../../src/codegen/reference.ts";

it("the README's parameters and results are those of the manifest", async () => {
  expect(readFileSync("README.md", "utf8")).toBe(await readmeWithReference("."));
});

import { readFileSync } from "node:fs";
import { expect, it } from "@jest/globals";
import { REFERENCE_PATH, referencePage } from "../../src/codegen/reference.ts";

it("docs/reference.md says what the manifest says", async () => {
  expect(readFileSync(REFERENCE_PATH, "utf8")).toBe(await referencePage("."));
});

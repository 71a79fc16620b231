import { readFileSync } from "node:fs";
import { expect, it } from "@jest/globals";
import { hostContractFile } from "../../src/codegen/host-contract.ts";
import { HOST_CONTRACT_PATH } from "../../src/codegen/record-types.ts";
import { REFERENCE_PATH, referencePage } from "../../src/codegen/reference.ts";

it("docs/reference.md says what the manifest says", async () => {
  expect(readFileSync(REFERENCE_PATH, "utf8")).toBe(await referencePage("."));
});

it("docs/host-contract.schema.json says what the types of the host contract say", async () => {
  expect(readFileSync(HOST_CONTRACT_PATH, "utf8")).toBe(await hostContractFile("."));
});

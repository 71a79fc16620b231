/** `npm run reference`: writes docs/reference.md from integration.json, and docs/host-contract.schema.json from the types of the host contract. */
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { hostContractFile } from "../src/codegen/host-contract.ts";
import { HOST_CONTRACT_PATH } from "../src/codegen/record-types.ts";
import { REFERENCE_PATH, referencePage } from "../src/codegen/reference.ts";

const rootDir = resolve(import.meta.dirname, "..");
await writeFile(join(rootDir, REFERENCE_PATH), await referencePage(rootDir));
await writeFile(join(rootDir, HOST_CONTRACT_PATH), await hostContractFile(rootDir));

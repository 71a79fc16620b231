/** `npm run reference`: writes docs/reference.md from integration.json. */
import { writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { REFERENCE_PATH, referencePage } from "../src/codegen/reference.ts";

const rootDir = resolve(import.meta.dirname, "..");
await writeFile(join(rootDir, REFERENCE_PATH), await referencePage(rootDir));

import { writeFile } from "node:fs/promises";
import { readmeWithReference } from "../src/codegen/reference.ts";

await writeFile("README.md", await readmeWithReference("."));

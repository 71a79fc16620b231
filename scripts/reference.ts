import { writeFile } from "node:fs/promises";
import { readmeWithReference } from "../src/targets/generate/reference.ts";

await writeFile("README.md", await readmeWithReference("."));

import { resolve } from "node:path";
import { generate } from "../src/codegen/index.ts";

const rootDir = resolve(import.meta.dirname, "..");
const wrote = await generate(rootDir);
// Standard output belongs to the commands that generate first, such as npm start -- --json.
console.error(wrote ? "src/generated: written" : "src/generated: up to date");

import { resolve } from "node:path";
import { generate } from "../src/codegen/index.ts";

const rootDir = resolve(import.meta.dirname, "..");
const wrote = await generate(rootDir);
console.log(wrote ? "src/generated: written" : "src/generated: up to date");

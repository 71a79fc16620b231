import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

// A module that the first test loads keeps its tables for all changes: those of its tables would never be noticed, nor are they
// changed once all modules are loaded before the tests.
for (const file of JSON.parse(process.env.MUTATED_FILES ?? "[]")) await import(pathToFileURL(resolve(file)).href);

import { URL, URLSearchParams } from "node:url";

/** Gives each module that imports Jest's functions its own copy of `jest-globals.js`, which learns that module's address. */
export function resolve(specifier, context, next) {
  if (specifier !== "@jest/globals") return next(specifier, context);
  const url = new URL("./jest-globals.js", import.meta.url);
  url.search = new URLSearchParams({ importer: context.parentURL }).toString();
  return { url: url.href, format: "module", shortCircuit: true };
}

import { stat } from "node:fs/promises";
import { bundledScript } from "./bundled-script.ts";
import { lightPackage } from "./light-package.ts";

/**
 * `npm start` as one file, with the package that was built before and an empty page: a start spends most of its time on building both. For suites
 * that start it many times; one start from the sources shows that the builds work.
 */
export async function startScript(): Promise<string> {
  const path = await lightPackage();
  const artefact = { path, bytes: (await stat(path)).size, sha256: "" };
  return bundledScript("sandbox/start.ts", {
    instead: {
      "src/packaging/portable.ts": `export const buildPortable = async () => (${JSON.stringify(artefact)});`,
      "sandbox/console/server/page.ts": `
        export const ICON = "";
        export const buildPage = async () => ({ html: "<!doctype html>", assets: [] });`,
    },
  });
}

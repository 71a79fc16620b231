import { readFile, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import type { Tenant } from "../../../sandbox/tenant/index.ts";
import { manifest } from "../../../src/generated/manifest.ts";
import type { ManifestAction } from "../../../src/manifest/manifest.ts";
import type { ActionName } from "../../../src/manifest/types.ts";
import { kebabCase } from "../../../src/manifest/rules.ts";
import type { JsonObject } from "../../../src/runtime/protocol.ts";
import { TestHost } from "../../support/host.ts";
import { builtPackage, rootDir } from "../../support/package.ts";
import { exampleParameters } from "../../support/requests.ts";
import { startTenant } from "../../support/tenant.ts";

/** Instead of the simulated tenant's address, which has another port each time. */
const SERVER = "https://example.attack-paths.test";
/** Instead of the Node.js of this machine. */
const NODE = { path: "/usr/bin/node", version: "22.23.3", cLibrary: "glibc 2.36", architecture: "x64" };

const isWriting = process.env["WRITE_EXAMPLES"] === "1";

function fileOf(action: string): string {
  return join(rootDir, "src", "packaging", "google-secops", "examples", `${kebabCase(action)}.json`);
}

/**
 * The examples are results of the built plugin against the simulated tenant. After a change of the results, or to keep one of a
 * new action, write them anew: WRITE_EXAMPLES=1 npm run test:only -- test/packaging/google-secops/examples.test.ts
 */
describe("the committed result example", () => {
  let tenant: Tenant;
  let host: TestHost;
  beforeAll(async () => {
    tenant = await startTenant({ dataset: { kind: "demo", analysedAt: "2026-01-15T06:00:00Z" } });
    host = new TestHost(tenant, await builtPackage());
  });

  const kept = manifest.actions.filter(({ name }) => isWriting || existsSync(fileOf(name)));
  it.each(kept.map(({ name }) => name))("of %s is what a real run answers", async (name) => {
    const file = fileOf(name);
    const result = await realResult(name);
    if (isWriting) await writeFile(file, `${JSON.stringify(result, null, 2)}\n`);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual(result);
  });

  async function realResult(name: ActionName): Promise<JsonObject> {
    const { result } = await host.act({ name, parameters: exampleParameters(name) });
    if (result.status !== "completed" || result.json === undefined) throw new Error(result.message);
    const actions: readonly ManifestAction[] = manifest.actions;
    const declared: readonly string[] = actions.find((action) => action.name === name)?.shows ?? [];
    expect(declared).toEqual(
      expect.arrayContaining(["tables", "insight", "entities"].filter((what) => what in result)),
    );
    const json = JSON.parse(JSON.stringify(result.json).replaceAll(tenant.url, SERVER)) as JsonObject;
    return "node" in json ? { ...json, node: NODE } : json;
  }
});

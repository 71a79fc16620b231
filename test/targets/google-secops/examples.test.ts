import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { runPlugin } from "../../../sandbox/soar/run-plugin.ts";
import { startTenant, type Tenant } from "../../../sandbox/tenant/index.ts";
import { manifest } from "../../../src/generated/manifest.ts";
import { kebabCase } from "../../../src/manifest/rules.ts";
import type { JsonObject } from "../../../src/runtime/protocol.ts";
import { builtPackage, rootDir } from "../../support/built-package.ts";

/** Instead of the simulated tenant's address, which has another port each time. */
const SERVER = "https://example.attack-paths.test";

/** What the examples ask the demo data for. */
const parameters: Readonly<Record<string, Record<string, string>>> = {
  Ping: {},
  "Get Object Id": {
    "Object Names": "ADA.FONTANA@CORP.HALDEN.TEST, DOMAIN CONTROLLERS@CORP.HALDEN.TEST, NOBODY@CORP.HALDEN.TEST",
  },
  "Does Path Exist": { "Start Node": "HELP DESK@CORP.HALDEN.TEST", "End Node": "DOMAIN ADMINS@CORP.HALDEN.TEST" },
  "Fetch Assets": { "Object IDs": "S-1-5-21-2697957641-2271029196-387917394-1158, S-1-5-21-0-0-0-1" },
};

/**
 * The examples are results of the built plugin against the simulated tenant. After a change of the results, write them
 * anew: WRITE_EXAMPLES=1 npm run test:only -- test/targets/google-secops/examples.test.ts
 */
describe("the committed result example", () => {
  let tenant: Tenant;
  let folder: string;
  beforeAll(async () => {
    tenant = await startTenant({ dataset: { kind: "demo", analysedAt: "2026-01-15T06:00:00Z" } });
    ({ folder } = await builtPackage());
  });
  afterAll(() => tenant.close());

  it.each(manifest.actions.map(({ name }) => name))("of %s is what a real run answers", async (name) => {
    const file = join(rootDir, "src", "targets", "google-secops", "examples", `${kebabCase(name)}.json`);
    const result = await realResult(name);
    if (process.env["WRITE_EXAMPLES"] === "1") await writeFile(file, `${JSON.stringify(result, null, 2)}\n`);
    expect(JSON.parse(await readFile(file, "utf8"))).toEqual(result);
  });

  async function realResult(name: string): Promise<JsonObject> {
    const instance = { Server: tenant.url, "Token ID": tenant.tokenId, "Token Key": tenant.tokenKey };
    const request = {
      protocol: 1 as const,
      kind: "action" as const,
      name,
      run: { id: "example", deadline: null, test: false },
      instance,
      parameters: parameters[name] ?? {},
      state: null,
    };
    for await (const message of runPlugin({ folder, request, secrets: [tenant.tokenKey] })) {
      if (message.type === "crash") throw new Error(message.message);
      if (message.type !== "result") continue;
      if (message.status !== "completed" || message.json === undefined) throw new Error(message.message);
      return JSON.parse(JSON.stringify(message.json).replaceAll(tenant.url, SERVER)) as JsonObject;
    }
    throw new Error("no result");
  }
});

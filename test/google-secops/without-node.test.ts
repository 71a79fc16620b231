import { beforeAll, expect, it } from "@jest/globals";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { builtGoogleSecopsZip } from "../support/package.ts";
import { instanceParameters } from "../support/requests.ts";
import { startTenant } from "../support/tenant.ts";
import { needs } from "../support/tools.ts";
import { type Installation, installZip, python } from "./installation.ts";
import { StandInPlatform } from "./platform.ts";
import { runAction, runConnector } from "./run-script.ts";

const library = needs("the GNU C library for x64");

python.describe("the package with Node.js, where there is no other Node.js", () => {
  library.describe("on Linux", () => {
    const env = { PATH: "/nowhere" };
    let installation: Installation;
    let tenant: Tenant;
    let platform: StandInPlatform;
    beforeAll(async () => {
      installation = await installZip(await builtGoogleSecopsZip());
      tenant = await startTenant();
      platform = await StandInPlatform.start();
      platform.configuration = instanceParameters(tenant);
    });

    it("pings the tenant and reports the Node.js that it carries", async () => {
      const answer = await runAction(installation, platform, "Ping", { env });
      expect(answer).toMatchObject({ state: 0, value: true });
      expect(JSON.parse(answer.json ?? "")).toMatchObject({
        reached: true,
        node: {
          path: `${installation.sitePackages}/attack_path_analysis_node/bin/node`,
          version: expect.stringMatching(/^22\./),
          cLibrary: `glibc ${library.found}`,
          architecture: "x64",
        },
      });
    });

    it.each([
      ["Get Object Id", { "Object Names": "HELP DESK@CORP.HALDEN.TEST" }],
      ["Does Path Exist", { "Start Node": "HELP DESK@CORP.HALDEN.TEST", "End Node": "DOMAIN ADMINS@CORP.HALDEN.TEST" }],
      ["Fetch Assets", { "Object IDs": "S-1-5-21-2697957641-2271029196-387917394-1158" }],
    ])("runs %s", async (name, parameters) => {
      expect(await runAction(installation, platform, name, { env, parameters })).toMatchObject({
        state: 0,
        value: true,
      });
    });

    it("runs the connector", async () => {
      const { url, tokenId, tokenKey } = await startTenant({
        dataset: { environments: 1, findingTypes: 1, findingsPerPair: 3 },
      });
      const fields = { Server: url, "Token ID": tokenId, "Token Key": tokenKey };
      const { exitCode, alerts } = await runConnector(installation, platform, { env, fields });
      expect(exitCode).toBe(0);
      expect(alerts).toHaveLength(1);
    });
  });
});

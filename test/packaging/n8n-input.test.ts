import { beforeAll, describe, expect, it } from "@jest/globals";
import { manifest } from "../../src/generated/manifest.ts";
import type { Item } from "../../src/packaging/n8n/node/n8n.ts";
import { camelCase } from "../../src/packaging/n8n/node/properties.ts";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { executeFunctions, loadN8nPackage, type N8nPackage } from "../support/n8n.ts";
import { startTenant } from "../support/tenant.ts";

let built: N8nPackage;
let tenant: Tenant;

beforeAll(async () => {
  built = await loadN8nPackage();
  tenant = await startTenant({ dataset: { environments: 1, findingTypes: 2, findingsPerPair: 2 } });
});

function credential() {
  return { server: tenant.url, tokenId: tenant.tokenId, tokenKey: tenant.tokenKey };
}

function execute(
  parameters: Record<string, unknown> | ((item: number) => Record<string, unknown>),
  more: Partial<Parameters<typeof executeFunctions>[1]> = {},
): Promise<Item[][]> {
  return built.node.execute.call(
    executeFunctions(built.node.description, { credential: credential(), parameters, ...more }),
  );
}

describe("a list of choices in n8n", () => {
  it("calls the empty one by the word with which the description says what it does", () => {
    const declared = [
      ...manifest.connectors.flatMap(({ fields }) => fields),
      ...manifest.jobs.flatMap((job) => job.parameters),
    ];
    const names = declared.filter((parameter) => "choices" in parameter).map(({ name }) => camelCase(name));
    expect(names).toHaveLength(2);
    for (const name of names) {
      const property = built.node.description.properties.find((each) => each.name === name)!;
      const [empty] = property.options as { name: string; value: string }[];
      expect(empty).toEqual({ name: "Empty", value: "" });
      expect(property.description).toMatch(/ Empty (fetches all of them|keeps none open)\./);
    }
  });
});

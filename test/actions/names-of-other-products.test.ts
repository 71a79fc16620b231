import { beforeAll, describe, expect, it } from "@jest/globals";
import type { GraphNode } from "../../sandbox/tenant/graph/graph.ts";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import type { ActionResult } from "../../src/manifest/types.ts";
import { TestHost } from "../support/host.ts";
import { startTenant } from "../support/tenant.ts";

const DOMAIN = "EU.CORP.HALDEN.TEST";

let tenant: Tenant;
let host: TestHost;
/** A user and a computer of the domain, whose account names no other domain has. */
let user: GraphNode;
let computer: GraphNode;
beforeAll(async () => {
  tenant = await startTenant();
  host = new TestHost(tenant);
  const nodes = [...tenant.data.graph.nodes];
  const isUnique = (prefix: string): boolean => nodes.filter(({ name }) => name.startsWith(prefix)).length === 1;
  user = nodes.find(
    ({ kind, name }) => kind === "User" && name.endsWith(`@${DOMAIN}`) && isUnique(`${accountOf(name)}@`),
  )!;
  const inDomain = nodes.filter(({ kind, name }) => kind === "Computer" && name.endsWith(`.${DOMAIN}`));
  computer = inDomain.at(-1)!;
  for (const twin of nodes.filter(({ name }) => name.startsWith(`${hostOf(computer.name)}.`)))
    if (twin !== computer) twin.name = `OTHER-${twin.name}`;
});

const accountOf = (name: string): string => name.split("@")[0]!;
const hostOf = (name: string): string => name.split(".")[0]!;
const forms = (): [text: string, node: GraphNode][] => [
  [`eu\\${accountOf(user.name).toLowerCase()}`, user],
  [accountOf(user.name).toLowerCase(), user],
  [`${accountOf(user.name).toLowerCase()}@halden.example`, user],
  [hostOf(computer.name).toLowerCase(), computer],
  [`EU\\${hostOf(computer.name)}$`, computer],
];
const selected = () => ({ entities: forms().map(([identifier]) => ({ identifier, type: "USERUNIQNAME" })) });

describe("an action on entities of other products", () => {
  it("gives the object ids and the full names, and enriches the entities", async () => {
    const { result } = await host.act({ name: "Get Object Id", parameters: {}, context: selected() });
    expect(result).toMatchObject({ status: "completed", value: true });
    const { objects } = result.json as ActionResult<"Get Object Id">;
    expect(objects.map(({ name, objectId, fullName }) => ({ name, objectId, fullName }))).toEqual(
      forms().map(([name, node]) => ({ name, objectId: node.objectId, fullName: node.name })),
    );
    expect(result.message).toContain(`Found by another form of the name: ${forms()[0]![0]} is ${user.name}, `);
    expect(result.entities?.map(({ identifier, properties }) => [identifier, properties["objectId"]])).toEqual(
      forms().map(([name, node]) => [name, node.objectId]),
    );
  });

  it("reads each object once as an asset, and enriches every entity that names it", async () => {
    const { result } = await host.act({ name: "Fetch Assets", parameters: {}, context: selected() });
    expect(result).toMatchObject({ status: "completed", value: true });
    const { assets } = result.json as ActionResult<"Fetch Assets">;
    expect(assets.map(({ objectId, name }) => [objectId, name])).toEqual([
      [user.objectId, user.name],
      [computer.objectId, computer.name],
    ]);
    expect(result.entities).toHaveLength(forms().length);
  });

  it("says of which object an address of another domain was taken, whatever the action", async () => {
    const address = `${accountOf(user.name).toLowerCase()}@evil.example`;
    const context = { entities: [{ identifier: address, type: "USERUNIQNAME" }] };
    const said = `Found by another form of the name: ${address} is ${user.name}.`;
    for (const name of ["Fetch Assets", "Does Path Exist"] as const) {
      const { result } = await host.act({ name, parameters: {}, context });
      expect(result.message).toContain(said);
      const { nearTierZero } = result.json as Partial<ActionResult<"Does Path Exist">>;
      if (name === "Does Path Exist") expect(nearTierZero?.report.split("\n").at(-1)).toBe(said);
    }
    const parameters = { "Start Node": JSON.stringify([address]), "End Node": JSON.stringify([computer.objectId]) };
    const { result } = await host.act({ name: "Does Path Exist", parameters });
    expect(result.message).toContain(said);
    const byItsName = await host.act({ name: "Fetch Assets", parameters: { "Object IDs": user.objectId } });
    expect(byItsName.result.message).not.toContain("another form");
  });

  it("checks paths between the objects", async () => {
    const [start, end] = [JSON.stringify([forms()[0]![0]]), JSON.stringify([forms()[4]![0]])];
    const { result } = await host.act({
      name: "Does Path Exist",
      parameters: { "Start Node": start, "End Node": end },
    });
    const { paths } = result.json as ActionResult<"Does Path Exist">;
    expect(paths).toMatchObject([{ start: { objectId: user.objectId }, end: { objectId: computer.objectId } }]);
    expect(["path", "no_path"]).toContain(paths[0]?.status);
  });

  it("leaves out a pair whose ends are two names of one object", async () => {
    const entities = forms().map(([identifier]) => ({ identifier, type: "USERUNIQNAME" }));
    const { result } = await host.act({
      name: "Does Path Exist",
      parameters: { "End Node": computer.objectId },
      context: { entities },
    });
    const { paths } = result.json as ActionResult<"Does Path Exist">;
    expect(new Set(paths.map(({ start }) => start.objectId))).toEqual(new Set([user.objectId]));
    expect(result.message).toContain("Left out ");
  });

  it("names the objects that an ambiguous entity can mean, and takes none of them", async () => {
    const context = { entities: [{ identifier: "administrator@halden.example", type: "EmailAddress" }] };
    const names = [...tenant.data.graph.nodes].map(({ name }) => name);
    const several = names.filter((name) => name.startsWith("ADMINISTRATOR@"));
    const ids = await host.act({ name: "Get Object Id", parameters: {}, context });
    const { objects } = ids.result.json as ActionResult<"Get Object Id">;
    expect(objects).toMatchObject([{ status: "ambiguous", objectId: null }]);
    expect(objects[0]?.candidates.map(({ name }) => name).sort()).toEqual(several.sort());
    const assets = await host.act({ name: "Fetch Assets", parameters: {}, context });
    expect(assets.result.json).toMatchObject({ assets: [{ status: "failed" }] });
    const error = (assets.result.json as ActionResult<"Fetch Assets">).assets[0]?.error ?? "";
    for (const name of several) expect(error).toContain(name);
    const parameters = { "End Node": computer.objectId };
    const paths = await host.act({ name: "Does Path Exist", parameters, context });
    expect(paths.result.json).toMatchObject({ exists: null, paths: [{ status: "ambiguous_name" }] });
  });

  it("asks only for names: a name in Object IDs stays unknown", async () => {
    const { result } = await host.act({
      name: "Fetch Assets",
      parameters: { "Object IDs": JSON.stringify([`EU\\${accountOf(user.name)}`]) },
    });
    expect(result.json).toMatchObject({ assets: [{ status: "not_found" }] });
  });
});

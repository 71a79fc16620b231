import { describe, expect, it } from "@jest/globals";
import { provePath, UnknownEndError } from "../../src/investigation/prove-path.ts";
import type { AttackPathService } from "../../src/service/attack-path-service.ts";
import { NetworkError, NotFoundError, ServerError } from "../../src/service/errors/errors.ts";
import { directory, fakeService, graphOf, object } from "./fake-service.ts";

const ALICE = "S-1-5-21-1-1104";
const ADMINS = "S-1-5-21-1-512";
const LOCAL_GROUP = "S-1-5-21-1-1201-544";
const endpoint = { method: "GET", path: "/api/v2/graphs/shortest-path" };

function service(shortest: AttackPathService["paths"]["shortest"]): AttackPathService {
  const objects = directory([
    object(ALICE, "ALICE@A"),
    object(ADMINS, "DOMAIN ADMINS@A", "Group"),
    object("S-1-5-21-1-1105", "TWIN@A"),
    object("S-1-5-21-1-1106", "TWIN@A", "Computer"),
  ]);
  return fakeService({ objects, paths: { shortest } });
}
const none = () => Promise.resolve(null);
const unused = () => Promise.reject(new Error("not to be asked"));

describe("provePath", () => {
  it("gives the length and the hops of one shortest path, and the graph as the service sent it", async () => {
    const graph = graphOf(`${ALICE}>G:MemberOf`, `G>${ADMINS}:GenericAll`, `${ALICE}>H:Owns`, `H>${ADMINS}:Owns`);
    graph.nodes = new Map([...graph.nodes, ["2", { ...graph.nodes.get("2"), isTierZero: true }]]);
    const proof = await provePath(
      service(() => Promise.resolve(graph)),
      "alice@a",
      ADMINS,
    );
    expect(proof).toMatchObject({ exists: true, length: 2, start: { objectId: ALICE }, end: { objectId: ADMINS } });
    expect(proof.hops.map(({ from, relation, to }) => [from.objectId, relation, to.objectId])).toEqual([
      [ALICE, "MemberOf", "G"],
      ["G", "GenericAll", ADMINS],
    ]);
    expect(proof.graph.edges).toHaveLength(4);
    expect(proof.graph.nodes).toContainEqual({
      objectId: ADMINS,
      name: `${ADMINS}-NAME`,
      kind: "Group",
      tierZero: true,
    });
    expect(proof.graph.nodes).toContainEqual({ objectId: "G", name: "G-NAME", kind: "Group", tierZero: null });
  });

  it("asks with the id as the service writes it, not as it was typed", async () => {
    const asked: string[] = [];
    const shortest = (start: string, end: string) => {
      asked.push(start, end);
      return Promise.resolve(null);
    };
    await provePath(service(shortest), ALICE.toLowerCase(), "domain admins@a");
    expect(asked).toEqual([ALICE, ADMINS]);
  });

  it("says that no path exists only of two known objects", async () => {
    expect(await provePath(service(none), ALICE, ADMINS)).toEqual({
      exists: false,
      start: { objectId: ALICE, name: "ALICE@A", kind: "User" },
      end: { objectId: ADMINS, name: "DOMAIN ADMINS@A", kind: "Group" },
      length: null,
      hops: [],
      graph: { nodes: [], edges: [] },
    });
    await expect(provePath(service(none), ALICE, LOCAL_GROUP)).rejects.toThrow(
      `End Node "${LOCAL_GROUP}" was not found`,
    );
  });

  it("needs no path from an object to itself", async () => {
    const proof = await provePath(service(unused), "ALICE@A", ALICE);
    expect(proof).toMatchObject({
      exists: true,
      length: 0,
      hops: [],
      start: { objectId: ALICE },
      end: { objectId: ALICE },
    });
  });

  it("believes a path that leads to an object which the search leaves out", async () => {
    const graph = graphOf(`${ALICE}>${LOCAL_GROUP}:MemberOfLocalGroup`);
    const proof = await provePath(
      service(() => Promise.resolve(graph)),
      ALICE,
      LOCAL_GROUP,
    );
    expect(proof).toMatchObject({ exists: true, length: 1, end: { objectId: LOCAL_GROUP } });
  });

  it("names the end that is not known, and what is similar", async () => {
    const error = await provePath(service(unused), "ALICE", ADMINS).catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(UnknownEndError);
    expect(String(error)).toContain('Start Node "ALICE" was not found');
    expect(String(error)).toContain("ALICE@A");
  });

  it("names the objects that share an ambiguous name", async () => {
    await expect(provePath(service(unused), ALICE, "twin@a")).rejects.toThrow(
      'End Node "twin@a" is the name of several objects. Enter one of their object ids: S-1-5-21-1-1105 (User), S-1-5-21-1-1106 (Computer).',
    );
  });

  it.each([
    new NotFoundError("not found", { whoActs: "analyst", endpoint, messages: ["not found"] }, true),
    new ServerError("failed", { whoActs: "service", endpoint, status: 500, messages: ["not found"] }),
  ])("takes %s for an unknown object when the search did not know it either", async (error) => {
    const shortest = () => Promise.reject(error);
    await expect(provePath(service(shortest), LOCAL_GROUP, ADMINS)).rejects.toThrow(`Start Node "${LOCAL_GROUP}"`);
    await expect(provePath(service(shortest), ALICE, ADMINS)).rejects.toBe(error);
  });

  it.each([
    new NetworkError("refused", { whoActs: "service", endpoint }),
    new ServerError("failed", { whoActs: "service", endpoint, status: 500, messages: ["request timed out"] }),
  ])("never takes an outage (%s) for a missing path or object", async (error) => {
    const shortest = () => Promise.reject(error);
    await expect(provePath(service(shortest), ALICE, ADMINS)).rejects.toBe(error);
    await expect(provePath(service(shortest), ALICE, LOCAL_GROUP)).rejects.toBe(error);
  });

  it("refuses a path that does not lead from the start to the end", async () => {
    await expect(
      provePath(
        service(() => Promise.resolve(graphOf(`${ADMINS}>${ALICE}`))),
        ALICE,
        ADMINS,
      ),
    ).rejects.toThrow("does not lead from the start to the end");
  });
});

import { describe, expect, it } from "@jest/globals";
import type { Pair } from "../../../src/investigation/paths/path-pairs.ts";
import { pathSentences } from "../../../src/investigation/paths/path-sentences.ts";
import type { PathEntry } from "../../../src/investigation/paths/path-entry.ts";
import { PathProver } from "../../../src/investigation/paths/prove-path.ts";
import type { AttackPathService } from "../../../src/service/attack-path-service.ts";
import { NetworkError, NotFoundError, ServerError } from "../../../src/service/errors/errors.ts";
import { directory, fakeService, graphOf, object } from "../../support/fake-service.ts";

const ALICE = "S-1-5-21-1-1104";
const ADMINS = "S-1-5-21-1-512";
const LOCAL_GROUP = "S-1-5-21-1-1201-544";
const endpoint = { method: "GET", path: "/api/v2/graphs/shortest-path" };
const alice = { objectId: ALICE, name: "ALICE@A", kind: "User" };
const admins = { objectId: ADMINS, name: "DOMAIN ADMINS@A", kind: "Group" };

type Shortest = AttackPathService["paths"]["shortest"];

function prove(shortest: Shortest, start: string, end: string, of: Partial<Pair> = {}): Promise<PathEntry> {
  const objects = directory([
    object(ALICE, "ALICE@A"),
    { ...object(ADMINS, "DOMAIN ADMINS@A", "Group"), system_tags: "admin_tier_0" },
    object("S-1-5-21-1-1105", "TWIN@A"),
    object("S-1-5-21-1-1106", "TWIN@A", "Computer"),
  ]);
  return new PathProver(fakeService({ objects, paths: { shortest } })).prove({ start, end, ...of });
}
const none = () => Promise.resolve(null);
const unused = () => Promise.reject(new Error("not to be asked"));

describe("PathProver", () => {
  it("gives the length and the hops of one shortest path, the edges of the others, and what is Tier Zero", async () => {
    const graph = graphOf(`${ALICE}>G:MemberOf`, `G>${ADMINS}:GenericAll`, `${ALICE}>H:Owns`, `H>${ADMINS}:Owns`);
    graph.nodes = new Map([...graph.nodes, ["2", { ...graph.nodes.get("2"), isTierZero: true }]]);
    const entry = await prove(() => Promise.resolve(graph), "alice@a", ADMINS);
    expect(entry).toMatchObject({ status: "path", exists: true, length: 2, truncated: false, tierZero: [ADMINS] });
    expect([entry.start.objectId, entry.end.objectId]).toEqual([ALICE, ADMINS]);
    expect(entry.hops.map(({ from, relation, to }) => [from.objectId, relation, to.objectId])).toEqual([
      [ALICE, "MemberOf", "G"],
      ["G", "GenericAll", ADMINS],
    ]);
    expect(
      entry.alternatives.map(({ hop, from, relation, to }) => [hop, from.objectId, relation, to.objectId]),
    ).toEqual([
      [1, ALICE, "Owns", "H"],
      [2, "H", "Owns", ADMINS],
    ]);
  });

  it("marks Tier Zero on the other shortest paths as well", async () => {
    const graph = graphOf(`${ALICE}>G`, `G>${ADMINS}`, `${ALICE}>H`, `H>${ADMINS}`);
    graph.nodes = new Map([...graph.nodes].map(([key, node]) => [key, { ...node, isTierZero: key !== "0" }]));
    const entry = await prove(() => Promise.resolve(graph), ALICE, ADMINS);
    expect(entry.tierZero?.toSorted()).toEqual(["G", "H", ADMINS]);
  });

  it("marks no hidden object as Tier Zero, since all of them share one id", async () => {
    const graph = graphOf(`${ALICE}>HIDDEN`, `HIDDEN>${ADMINS}`);
    graph.nodes = new Map([...graph.nodes].map(([key, node]) => [key, { ...node, isTierZero: true }]));
    const entry = await prove(() => Promise.resolve(graph), ALICE, ADMINS);
    expect(entry.tierZero?.toSorted()).toEqual([ADMINS, ALICE].sort());
  });

  it("marks the ends as the search does, also without a path, or when the graph says nothing", async () => {
    expect(await prove(none, "alice@a", ADMINS)).toMatchObject({ exists: false, tierZero: [ADMINS] });
    const open = () => Promise.resolve(graphOf(`${ALICE}>${ADMINS}`));
    expect(await prove(open, "alice@a", "domain admins@a")).toMatchObject({ exists: true, tierZero: [ADMINS] });
  });

  it("has no object id for an object that the service does not name, and says so", async () => {
    const graph = graphOf(`${ALICE}>G`, `G>${ADMINS}`);
    const [start, group, end] = [...graph.nodes.values()];
    const withoutGroup = new Map([
      ["0", start!],
      ["2", end!],
    ]);
    const withoutIds = new Map([...graph.nodes].map(([key, node]) => [key, { ...node, objectId: undefined }]));
    for (const nodes of [withoutGroup, new Map([...withoutGroup, ["1", { label: group!.label! }]])]) {
      const entry = await prove(() => Promise.resolve({ ...graph, nodes }), ALICE, ADMINS);
      expect(entry).toMatchObject({ status: "path", exists: true, length: 2, start: { objectId: ALICE } });
      expect(entry.hops.map(({ from, to }) => [from.objectId, to.objectId])).toEqual([
        [ALICE, null],
        [null, ADMINS],
      ]);
      expect(pathSentences([entry]).at(-1)).toContain("did not say which objects some hops lead through");
    }
    const keys = new Map(
      [...withoutIds.values()].map((node, at) => [[ALICE, "1", ADMINS][at]!, { label: node.label! }]),
    );
    const edges = [
      { source: ALICE, target: "1" },
      { source: "1", target: ADMINS },
    ];
    const entry = await prove(() => Promise.resolve({ nodes: keys, edges }), ALICE, ADMINS);
    expect([entry.start.objectId, entry.hops[0]?.to.objectId, entry.end.objectId]).toEqual([ALICE, null, ADMINS]);
  });

  it("keeps at most 500 alternatives, and says so", async () => {
    const edges = Array.from({ length: 502 }, (_, index) => `${ALICE}>${ADMINS}:Edge${1000 + index}`);
    const entry = await prove(() => Promise.resolve(graphOf(...edges)), ALICE, ADMINS);
    expect([entry.length, entry.alternatives.length, entry.truncated]).toEqual([1, 500, true]);
  });

  it("keeps the hops of a path that has at most 1,000, and of a longer one its length", async () => {
    const chain = (hops: number) => {
      const ids = [ALICE, ...Array.from({ length: hops - 1 }, (_, at) => `N${at}`), ADMINS];
      return graphOf(...ids.slice(1).map((id, at) => `${ids[at]}>${id}`));
    };
    const [kept, cut] = await Promise.all(
      [1_000, 1_001].map((hops) => prove(() => Promise.resolve(chain(hops)), ALICE, ADMINS)),
    );
    expect([kept?.length, kept?.hops.length, kept?.truncated]).toEqual([1_000, 1_000, false]);
    expect([cut?.length, cut?.hops.length, cut?.truncated]).toEqual([1_001, 0, true]);
    expect([cut?.start.objectId, cut?.end.objectId]).toEqual([ALICE, ADMINS]);
  });

  it("asks with the id as the service writes it, not as it was typed", async () => {
    const asked: string[] = [];
    const shortest = (start: string, end: string) => {
      asked.push(start, end);
      return Promise.resolve(null);
    };
    await prove(shortest, ALICE.toLowerCase(), "domain admins@a");
    expect(asked).toEqual([ALICE, ADMINS]);
  });

  it("says that no path exists only of two known objects", async () => {
    expect(await prove(none, ALICE, ADMINS)).toEqual({
      start: alice,
      end: admins,
      status: "no_path",
      tierZero: [ADMINS],
      exists: false,
      length: null,
      hops: [],
      alternatives: [],
      truncated: false,
    });
    expect(await prove(none, ALICE, LOCAL_GROUP)).toMatchObject({
      start: alice,
      end: { objectId: null, name: LOCAL_GROUP, kind: null },
      status: "unknown_object",
      exists: null,
      error: expect.stringContaining(`End Node "${LOCAL_GROUP}" was not found`) as unknown,
    });
  });

  it("needs no path from an object to itself", async () => {
    const entry = await prove(unused, "ALICE@A", ALICE);
    expect(entry).toMatchObject({ status: "path", exists: true, length: 0, hops: [], start: alice, end: alice });
    expect(await prove(unused, ADMINS, "domain admins@a")).toMatchObject({ length: 0, tierZero: [ADMINS] });
  });

  it("accepts a path that leads to an object which the search leaves out", async () => {
    const graph = graphOf(`${ALICE}>${LOCAL_GROUP}:MemberOfLocalGroup`);
    const entry = await prove(() => Promise.resolve(graph), ALICE, LOCAL_GROUP);
    expect(entry).toMatchObject({ exists: true, length: 1, end: { objectId: LOCAL_GROUP } });
  });

  it("searches for no object id as long as a path names it", async () => {
    const objects = directory([object(ALICE, "ALICE@A")]);
    const graph = graphOf(`${ALICE}>${ADMINS}:Owns`, `custom>${ADMINS}:Owns`);
    const shortest = (start: string) => Promise.resolve(start === "other" ? null : graph);
    const prover = new PathProver(fakeService({ objects, paths: { shortest } }));
    const found = await prover.prove({ start: ALICE, end: ADMINS });
    expect(found).toMatchObject({ status: "path", start: { objectId: ALICE, name: `${ALICE}-NAME`, kind: "Group" } });
    expect(await prover.prove({ start: "custom", end: ADMINS, areIds: true })).toMatchObject({ status: "path" });
    expect(objects.asked).toBe(0);
    expect(await prover.prove({ start: "other", end: ALICE, areIds: true })).toMatchObject({
      status: "unknown_object",
      end: { objectId: ALICE, name: `${ALICE}-NAME` },
    });
    // For the one that no path has named.
    expect(objects.asked).toBe(1);
  });

  it("looks up object ids that no path joins, to name them, and does not ask for the path again", async () => {
    const asked: string[] = [];
    const shortest = (start: string) => {
      asked.push(start);
      return Promise.resolve(null);
    };
    expect(await prove(shortest, ALICE, ADMINS)).toMatchObject({ status: "no_path", start: alice, end: admins });
    expect(asked).toEqual([ALICE]);
  });

  it("searches for each of two names that only capitals make the same", async () => {
    const objects = directory([object("ID-1", "strasse@a"), object("ID-2", "straße@a"), object("ID-3", "END@A")]);
    const prover = new PathProver(fakeService({ objects, paths: { shortest: none } }));
    const starts = ["strasse@a", "straße@a"];
    const entries = await Promise.all(starts.map((start) => prover.prove({ start, end: "END@A" })));
    expect(entries.map(({ start }) => start.objectId)).toEqual(["ID-1", "ID-2"]);
  });

  it("keeps the object ids of a finding whose path could not be asked for", () => {
    const prover = new PathProver(fakeService({}));
    const error = new NetworkError("refused", { whoActs: "service", endpoint });
    expect(prover.failed({ start: "custom", end: ADMINS, areIds: true }, error)).toMatchObject({
      start: { objectId: "custom", name: null },
      end: { objectId: ADMINS, name: null },
    });
  });

  it("names the end that is not known, and what is similar", async () => {
    const entry = await prove(unused, "ALIC", ADMINS);
    expect(entry).toMatchObject({ status: "unknown_object", start: { objectId: null, name: "ALIC" }, end: admins });
    expect(entry.error).toContain('Start Node "ALIC" was not found');
    expect(entry.error).toContain("ALICE@A");
  });

  it("names the objects that share an ambiguous name", async () => {
    expect(await prove(unused, ALICE, "twin@a")).toMatchObject({
      status: "ambiguous_name",
      start: alice,
      end: { objectId: null, name: "twin@a", kind: null },
      error:
        'End Node "twin@a" is the name of several objects. Enter one of their object ids: S-1-5-21-1-1105 (User), S-1-5-21-1-1106 (Computer).',
    });
  });

  it("names both ends when neither can be used", async () => {
    const entry = await prove(unused, "twin@a", "NOBODY");
    expect(entry.status).toBe("unknown_object");
    expect(entry.error).toMatch(/Start Node "twin@a" is the name .* End Node "NOBODY" was not found/);
  });

  it.each([
    new NotFoundError("not found", { whoActs: "analyst", endpoint, messages: ["not found"], wrapped: true }),
    new ServerError("failed", { whoActs: "service", endpoint, status: 500, messages: ["not found"], wrapped: true }),
  ])("takes %s for an unknown object when the search did not know it either", async (error) => {
    const shortest = () => Promise.reject(error);
    const { status, error: reason } = await prove(shortest, LOCAL_GROUP, ADMINS);
    expect([status, reason]).toEqual(["unknown_object", expect.stringContaining(`Start Node "${LOCAL_GROUP}"`)]);
    await expect(prove(shortest, ALICE, ADMINS)).rejects.toBe(error);
  });

  it.each([
    new NetworkError("refused", { whoActs: "service", endpoint }),
    new ServerError("failed", { whoActs: "service", endpoint, messages: ["request timed out"], wrapped: true }),
    new ServerError("of a gateway", { whoActs: "service", endpoint, status: 500, messages: ["not found"] }),
    new NotFoundError("of a gateway", { whoActs: "administrator", endpoint, messages: ["not found"] }),
  ])("never takes an outage (%s) for a missing path or object", async (error) => {
    const shortest = () => Promise.reject(error);
    await expect(prove(shortest, ALICE, ADMINS)).rejects.toBe(error);
    await expect(prove(shortest, ALICE, LOCAL_GROUP)).rejects.toBe(error);
  });

  it.each<[string, Partial<Pair>, string]>([
    ["an entered name", {}, 'Start Node "TWIN@A" is the name of several objects. Enter one of their object ids: '],
    [
      "a selected entity",
      { selected: "start" },
      'The selected entity "TWIN@A", used as Start Node, is the name of several objects. Enter one of their object ids as Start Node: ',
    ],
  ])("says where %s comes from that is ambiguous, and what to enter", async (_, of, said) => {
    const { status, error } = await prove(none, "TWIN@A", ADMINS, of);
    expect([status, error]).toEqual(["ambiguous_name", `${said}S-1-5-21-1-1105 (User), S-1-5-21-1-1106 (Computer).`]);
  });

  it("takes the ends of a finding for object ids, whatever else has them as its name", async () => {
    const { status, error } = await prove(none, "ALICE@A", ADMINS, { areIds: true });
    expect(status).toBe("unknown_object");
    expect(error).toMatch(/^The source of a finding of the alert, "ALICE@A", was not found\. /);
  });

  it("says what to enter when two objects have the id of a finding's end, but for its letter case", async () => {
    const objects = directory([object("Id-1", "ONE"), object("ID-1", "TWO"), object(ADMINS, "DOMAIN ADMINS@A")]);
    const prover = new PathProver(fakeService({ objects, paths: { shortest: none } }));
    const { status, error } = await prover.prove({ start: "id-1", end: ADMINS, areIds: true });
    expect(status).toBe("ambiguous_name");
    expect(error).toContain("Enter Start Node and End Node instead, with one of these object ids as Start Node: Id-1 ");
  });

  it("says of a finding about a relationship without control that it is no attack path", async () => {
    const relationship = graphOf(`${ALICE}>${ADMINS}:GetChanges`);
    const shortest: Shortest = (_start, _end, query) =>
      Promise.resolve(query?.onlyTraversable === true ? null : relationship);
    const finding = await prove(shortest, ALICE, ADMINS, { areIds: true });
    expect(finding).toMatchObject({ exists: true, length: 1, givesControl: false });
    const path = await prove(() => Promise.resolve(relationship), ALICE, ADMINS, { areIds: true });
    expect(path).not.toHaveProperty("givesControl");
  });

  it("says that a finding is closed whose ends only a longer way without control joins", async () => {
    const longer = graphOf(`${ALICE}>G:Enroll`, `G>${ADMINS}:GetChanges`);
    const shortest: Shortest = (_start, _end, query) =>
      Promise.resolve(query?.onlyTraversable === true ? null : longer);
    expect(await prove(shortest, ALICE, ADMINS, { areIds: true })).toMatchObject({ exists: false });
  });

  it("refuses a path that does not lead from the start to the end", async () => {
    await expect(prove(() => Promise.resolve(graphOf(`${ADMINS}>${ALICE}`)), ALICE, ADMINS)).rejects.toThrow(
      "does not lead from the start to the end",
    );
  });
});

import { describe, expect, it } from "@jest/globals";
import { provePairs } from "../../../src/investigation/paths/prove-pairs.ts";
import type { Logger } from "../../../src/logger.ts";
import type { Json } from "../../../src/runtime/protocol.ts";
import { DeadlineError, RateLimitedError, ServerError } from "../../../src/service/errors/errors.ts";
import type { PathGraph } from "../../../src/service/resources/paths.records.ts";
import { directory, fakeService, graphOf, object } from "../../support/fake-service.ts";

const ORIGIN = fakeService({}).origin;
const silent: Logger = { debug: () => undefined, info: () => undefined, warn: () => undefined, error: () => undefined };
const details = { whoActs: "service", endpoint: { method: "GET", path: "/api/v2/x" } } as const;
const late = new DeadlineError("the time is over", details);
const refused = new RateLimitedError("too many requests", details);
const broken = new ServerError("broken", details);

/** Answers by `start>end`; no path where there is none. */
function tenant(answers: Record<string, PathGraph | Error> = {}) {
  const objects = directory(["A", "B", "C", "D"].map((id) => object(`ID-${id}`, id)));
  const asked: string[] = [];
  const shortest = (start: string, end: string) => {
    const pair = `${start}>${end}`.replaceAll("ID-", "");
    asked.push(pair);
    const answer = answers[pair] ?? null;
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  return { service: fakeService({ objects, paths: { shortest } }), objects, asked };
}

const pairsOf = (...pairs: string[]) =>
  pairs.map((pair) => {
    const [start = "", end = ""] = pair.split(">");
    return { start, end };
  });
const open = (pair: string) => graphOf(pair.replaceAll(/\w+/g, "ID-$&"));

describe("provePairs", () => {
  it("has one entry per pair in their order, and asks and looks up equal ones once", async () => {
    const { service, asked, objects } = tenant({ "A>B": open("A>B") });
    const pairs = pairsOf("A>B", "C>D", "a>ID-B", "A>B", "A>X");
    const { json } = await provePairs(service, pairs, null, silent);
    expect(json.paths.map(({ status }) => status)).toEqual(["path", "no_path", "path", "path", "unknown_object"]);
    expect(asked.sort()).toEqual(["A>B", "C>D"]);
    // A, B, C and D and whether others have their names, ID-B, and X, for which two pages in a row are empty.
    expect(objects.asked).toBe(11);
  });

  it.each<[boolean | null, string, Record<string, PathGraph | Error>]>([
    [true, "any path exists", { "A>B": open("A>B"), "C>D": broken }],
    [false, "every pair was answered and none exists", {}],
    [null, "one could not be answered and none was found", { "C>D": broken }],
  ])("says %s when %s", async (exists, _, answers) => {
    const { json } = await provePairs(tenant(answers).service, pairsOf("A>B", "C>D"), null, silent);
    expect(json.exists).toBe(exists);
  });

  it("gives one answer about Tier Zero to all pairs that show an object", async () => {
    const flagged = open("A>B");
    flagged.nodes = new Map([...flagged.nodes].map(([key, node]) => [key, { ...node, isTierZero: key === "1" }]));
    const { service } = tenant({ "A>B": flagged, "A>C": graphOf("ID-A>ID-B", "ID-B>ID-C", "ID-A>ID-D", "ID-D>ID-C") });
    const { json } = await provePairs(service, pairsOf("A>C", "A>B", "B>D"), null, silent);
    expect(json.paths.map(({ exists, tierZero }) => [exists, tierZero])).toEqual([
      [true, ["ID-B"]],
      [true, ["ID-B"]],
      [false, ["ID-B"]],
    ]);
  });

  it("gives each finding its own severity, and asks a pair that is two findings once", async () => {
    const { service, asked } = tenant({ "A>B": open("A>B") });
    const [pair] = pairsOf("A>B");
    const findings = [
      { ...pair!, severity: "low" as const },
      { ...pair!, severity: "high" as const },
    ];
    const { json, state } = await provePairs(service, [...findings, pair!], null, silent);
    expect(json.paths.map(({ severity }) => severity)).toEqual(["low", "high", undefined]);
    expect(json.summary).toMatchObject({ verdict: "open", open: 3, worst: "high" });
    expect([asked, state]).toEqual([["A>B"], null]);
  });

  it("keeps what was looked up of a pair that failed", async () => {
    const { service } = tenant({ "A>B": broken });
    const { json } = await provePairs(service, pairsOf("A>B"), null, silent);
    expect(json.paths).toMatchObject([
      { status: "failed", exists: null, start: { objectId: "ID-A", name: "A" }, error: broken.message },
    ]);
  });

  it("leaves what the time did not suffice for to the next run, which asks and looks up only that", async () => {
    const pairs = pairsOf("A>B", "A>C", "D>B");
    const first = tenant({ "A>B": open("A>B"), "A>C": late, "D>B": late });
    const { json, remaining, different, state } = await provePairs(first.service, pairs, null, silent);
    expect([remaining, different, json.exists, json.paths.length]).toEqual([2, 3, true, 1]);
    expect(json.remaining).toBe(2);
    const second = tenant();
    const kept = JSON.parse(JSON.stringify(state)) as Json;
    const rest = await provePairs(second.service, pairs, kept, silent);
    expect(rest.json.paths.map(({ status }) => status)).toEqual(["path", "no_path", "no_path"]);
    expect(second.asked.sort()).toEqual(["A>C", "D>B"]);
    expect(second.objects.asked).toBe(0);
    expect(rest.state).toBeNull();
    expect(rest.json).not.toHaveProperty("remaining");
  });

  it("leaves to the next run what the service refused because of its rate limit", async () => {
    const pairs = pairsOf("A>B", "A>C");
    const { service } = tenant({ "A>B": open("A>B"), "A>C": refused });
    const { json, remaining, state } = await provePairs(service, pairs, null, silent);
    expect([remaining, json.paths.map(({ status }) => status)]).toEqual([1, ["path"]]);
    const again = await provePairs(tenant({ "A>C": refused }).service, pairs, state, silent);
    expect([again.remaining, again.json.paths.map(({ status }) => status)]).toEqual([1, ["path"]]);
    const rest = await provePairs(tenant().service, pairs, again.state, silent);
    expect(rest.json.paths.map(({ status }) => status)).toEqual(["path", "no_path"]);
  });

  it("links each pair of known objects to its page, whatever the answer", async () => {
    const { service } = tenant({ "A>B": open("A>B"), "C>D": broken });
    const { json } = await provePairs(service, pairsOf("A>B", "A>C", "C>D", "A>X"), null, silent);
    const page = "https://tenant.test/ui/explore?searchType=pathfinding";
    expect(json.paths.map(({ url }) => url)).toEqual([
      `${page}&primarySearch=ID-A&secondarySearch=ID-B`,
      `${page}&primarySearch=ID-A&secondarySearch=ID-C`,
      `${page}&primarySearch=ID-C&secondarySearch=ID-D`,
      undefined,
    ]);
  });

  it("does not count a pair that failed as checked", async () => {
    const { service } = tenant({ "A>B": open("A>B"), "A>C": broken, "C>D": late });
    const { checked, remaining, different } = await provePairs(service, pairsOf("A>B", "A>C", "C>D"), null, silent);
    expect([checked, remaining, different]).toEqual([1, 1, 3]);
  });

  it("does not say that there is no path as long as pairs remain", async () => {
    const { json } = await provePairs(tenant({ "C>D": late }).service, pairsOf("A>B", "C>D"), null, silent);
    expect(json.exists).toBeNull();
  });

  it("says where to cut the paths of findings, once each of them is answered", async () => {
    const pairs = pairsOf("ID-A>ID-D", "ID-B>ID-D", "ID-C>ID-B").map((pair) => ({ ...pair, areIds: true }));
    const answers = { "A>D": graphOf("ID-A>ID-C", "ID-C>ID-D"), "B>D": graphOf("ID-B>ID-C", "ID-C>ID-D") };
    const first = await provePairs(tenant({ ...answers, "C>B": late }).service, pairs, null, silent);
    expect(first.json).not.toHaveProperty("cuts");
    const { json } = await provePairs(tenant(answers).service, pairs, first.state, silent);
    const edge = { from: { objectId: "ID-C" }, to: { objectId: "ID-D" } };
    expect(json.cuts).toMatchObject({ findings: 2, closed: 1, edges: [{ edge, closes: 2, through: 2 }, {}, {}] });
    expect(json.summary.report).toContain("- ID-C-NAME -MemberOf-> ID-D-NAME closes at most 2 of 2 findings");
  });

  it.each([
    ["none", []],
    ["some that were entered", pairsOf("A>B")],
    ["findings among some that were entered", [...pairsOf("A>B"), { start: "ID-A", end: "ID-B", areIds: true }]],
  ])("says nothing about where to cut other pairs: %s", async (_, pairs) => {
    const { json } = await provePairs(tenant({ "A>B": open("A>B") }).service, pairs, null, silent);
    expect(json).not.toHaveProperty("cuts");
    expect(json.summary.report).not.toContain("Where to cut");
  });

  it("explains the relationships of the shown and the other shortest paths, once no pair remains", async () => {
    const diamond = graphOf("ID-A>ID-C:GenericAll", "ID-C>ID-B:MemberOf", "ID-A>ID-D:Owns", "ID-D>ID-B:MemberOf");
    const pairs = pairsOf("A>B", "A>D");
    const first = await provePairs(tenant({ "A>B": diamond, "A>D": late }).service, pairs, null, silent);
    expect(first.json).not.toHaveProperty("relations");
    const { json } = await provePairs(tenant().service, pairs, first.state, silent);
    expect(json.relations?.map(({ kind }) => kind).sort()).toEqual(["GenericAll", "MemberOf", "Owns"]);
    expect((await provePairs(tenant().service, pairs, null, silent)).json).not.toHaveProperty("relations");
  });

  it("leaves out an object of the case that turns out to be the other end, but not one that was entered", async () => {
    const same = pairsOf("A>ID-A", "A>B").map((pair) => ({ ...pair, selected: "start" as const }));
    const { json, answered, leftOut } = await provePairs(tenant({ "A>B": open("A>B") }).service, same, null, silent);
    expect(leftOut).toEqual(same.slice(0, 1));
    expect([json.paths, answered].map((each) => each.length)).toEqual([1, 1]);
    const entered = await provePairs(tenant().service, pairsOf("A>ID-A"), null, silent);
    expect([entered.leftOut, entered.json.paths]).toMatchObject([[], [{ status: "path", length: 0 }]]);
  });

  it("looks up no end again that a path of an earlier run has named", async () => {
    const [a, b, c] = ["S-1-5-1", "S-1-5-2", "S-1-5-3"] as const;
    const pairs = pairsOf(`${a}>${b}`, `${a}>${c}`);
    const answering = (end: string, objects = directory([])) => ({
      service: fakeService({
        objects,
        paths: {
          shortest: (_, to) =>
            to === b
              ? Promise.resolve(graphOf(`${a}>${b}`))
              : to === end
                ? Promise.reject(late)
                : Promise.resolve(null),
        },
      }),
      objects,
    });
    const first = await provePairs(answering(c).service, pairs, null, silent);
    expect(first.remaining).toBe(1);
    const second = answering("", directory([object(c, "C")]));
    const { json } = await provePairs(second.service, pairs, first.state, silent);
    expect(json.paths).toMatchObject([{}, { status: "no_path", start: { objectId: a, name: `${a}-NAME` } }]);
    expect(second.objects.asked).toBe(1);
  });

  it("does not take the ends of a pair that failed for known ones", async () => {
    const pairs = pairsOf("ID-X>ID-B", "ID-X>ID-C").map((pair) => ({ ...pair, areIds: true }));
    const first = await provePairs(tenant({ "X>B": broken, "X>C": late }).service, pairs, null, silent);
    const { json } = await provePairs(tenant().service, pairs, first.state, silent);
    expect(json.paths.map(({ status }) => status)).toEqual(["failed", "unknown_object"]);
  });

  it("fails what three runs in a row get nowhere with", async () => {
    const { service } = tenant({ "A>B": late });
    const runs = [await provePairs(service, pairsOf("A>B"), null, silent)];
    while (runs.at(-1)!.remaining > 0) runs.push(await provePairs(service, pairsOf("A>B"), runs.at(-1)!.state, silent));
    // The first one has looked up the ends.
    expect(runs.map(({ remaining }) => remaining)).toEqual([1, 1, 1, 0]);
    expect(runs.at(-1)!.json.paths).toMatchObject([{ status: "failed" }]);
  });

  it("gets on after a run in which the service was too slow for any answer", async () => {
    const pairs = pairsOf("A>B", "A>C", "A>D");
    const first = await provePairs(tenant({ "A>C": late, "A>D": late }).service, pairs, null, silent);
    const slow = await provePairs(tenant({ "A>C": late, "A>D": late }).service, pairs, first.state, silent);
    expect([first.checked, slow.checked, slow.remaining]).toEqual([1, 1, 2]);
    const rest = await provePairs(tenant().service, pairs, slow.state, silent);
    expect([rest.checked, rest.remaining]).toEqual([3, 0]);
  });

  it("gets on with every run as long as a single request fits into it", async () => {
    const ids = ["S-1-5-1", "S-1-5-2", "S-1-5-3", "S-1-5-4"];
    const objects = directory(ids.slice(0, 3).map((id) => object(id, `${id}-NAME`)));
    const unknown = new ServerError("not found", { ...details, messages: ["not found"], wrapped: true });
    const pairs = pairsOf(`${ids[0]}>${ids[1]}`, `${ids[2]}>${ids[1]}`, `${ids[0]}>${ids[3]}`);
    let state: Json = null;
    let last = null;
    let runs = 0;
    for (let remaining = Infinity; remaining > 0; runs++) {
      let left = 1;
      const inTime = <T>(answer: () => Promise<T>): Promise<T> => (left-- > 0 ? answer() : Promise.reject(late));
      const service = fakeService({
        objects: { search: (query) => inTime(() => objects.search(query)) },
        paths: {
          shortest: (_, end) => inTime(() => (end === ids[3] ? Promise.reject(unknown) : Promise.resolve(null))),
        },
      });
      last = await provePairs(service, pairs, JSON.parse(JSON.stringify(state)) as Json, silent);
      ({ remaining, state } = last);
    }
    expect(last?.json.paths.map(({ status }) => status)).toEqual(["no_path", "no_path", "unknown_object"]);
    // Each pair is asked twice, and each object is looked up once.
    expect(runs).toBe(3 + 4 + 3);
  });

  it("takes from a state only notes that it could have made", async () => {
    const found = [["A", { status: "found", object: { objectId: "ID-D", name: "D", type: null }, candidates: [] }], 5];
    const state = { version: 2, tenant: ORIGIN, answers: [], notes: { found, asked: [7] } } as Json;
    const { json } = await provePairs(tenant({ "A>B": open("A>B") }).service, pairsOf("A>B"), state, silent);
    expect(json.paths).toMatchObject([{ status: "path", start: { objectId: "ID-A" } }]);
  });

  it.each<[string, (entry: object) => Json]>([
    ["a text", () => "x"],
    ["of another version", (entry) => ({ version: 1, tenant: ORIGIN, answers: [['["A","B"]', entry as Json]] })],
    ["about another pair", (entry) => ({ version: 2, tenant: ORIGIN, answers: [['["A","C"]', entry as Json]] })],
    [
      "of another tenant",
      (entry) => ({ version: 2, tenant: "https://other.test", answers: [['["A","B"]', entry as Json]] }),
    ],
    ["without hops", (entry) => ({ version: 2, tenant: ORIGIN, answers: [['["A","B"]', { ...entry, hops: null }]] })],
    [
      "with hops to nowhere",
      (entry) => ({ version: 2, tenant: ORIGIN, answers: [['["A","B"]', { ...entry, hops: [{ from: 1 }] }]] }),
    ],
  ])("refuses a state that is %s", async (_, stateOf) => {
    const { json } = await provePairs(tenant().service, pairsOf("A>B"), null, silent);
    const state = stateOf(json.paths[0]!);
    await expect(provePairs(tenant().service, pairsOf("A>B"), state, silent)).rejects.toThrow(
      "Run the action again without a state.",
    );
  });
});

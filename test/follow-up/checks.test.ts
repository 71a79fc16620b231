import { describe, expect, test } from "@jest/globals";
import { AnalysisTimes } from "../../src/follow-up/proof/analysis-time.ts";
import { counterCheck } from "../../src/follow-up/proof/counter-check.ts";
import type { AttackPathService } from "../../src/service/attack-path-service.ts";
import { NotFoundError, ServerError } from "../../src/service/errors/errors.ts";
import type { PathGraph } from "../../src/service/resources/paths.records.ts";

/** A graph whose paths lead through these objects, one after the other. */
function pathThrough(...objects: string[]): PathGraph {
  const nodes = new Map(objects.map((objectId, key) => [String(key), { objectId, label: objectId, kind: "User" }]));
  const edges = objects.slice(1).map((_, key) => ({
    source: String(key),
    target: String(key + 1),
    label: "Owns",
    kind: "Owns",
  }));
  return { nodes, edges };
}

describe("the graph", () => {
  type Shortest = (source: string) => Promise<PathGraph | null>;
  const serviceOf = (shortest: Shortest, known: readonly string[] = []) => {
    const search = ({ text }: { text: string }) =>
      Promise.resolve({ records: known.filter((objectid) => objectid === text).map((objectid) => ({ objectid })) });
    return { paths: { shortest }, objects: { search } } as unknown as AttackPathService;
  };
  const there = { source: "A", target: "B" };
  const back = { source: "B", target: "A" };
  const ask = (shortest: Shortest) => counterCheck(serviceOf(shortest), [there]);

  test("confirms that a finding holds by one hop, and not by several", async () => {
    expect(await ask(() => Promise.resolve(pathThrough("A", "B")))).toBe("holds");
    expect(await ask(() => Promise.resolve(pathThrough("A", "C", "B")))).toBe("none");
    expect(await ask(() => Promise.resolve(null))).toBe("none");
  });

  test("is asked in each direction in which a finding was delivered, and the most cautious answer counts", async () => {
    const answer = (ofBack: Shortest) =>
      counterCheck(
        serviceOf((source) => (source === "A" ? Promise.resolve(null) : ofBack(source))),
        [there, back],
      );
    expect(await answer(() => Promise.resolve(pathThrough("B", "A")))).toBe("holds");
    expect(await answer(() => Promise.reject(new ServerError("broken", { whoActs: "service" })))).toBe("failed");
    expect(
      await answer(() => Promise.reject(new NotFoundError("unknown", { whoActs: "service", wrapped: true }))),
    ).toBe("unknown_object");
    expect(await answer(() => Promise.resolve(null))).toBe("none");
  });

  test.each([
    ["the service does not know it", [], "unknown_object"],
    ["the service knows one of both", ["A"], "unknown_object"],
    ["another reason: the service knows both", ["A", "B"], "failed"],
  ])("that has no object is missing it because %s", async (_, known, check) => {
    const unknown = () => Promise.reject(new NotFoundError("page not found", { whoActs: "service", wrapped: true }));
    expect(await counterCheck(serviceOf(unknown, known), [there])).toBe(check);
  });

  test("says nothing when it joins other objects, or when it fails", async () => {
    expect(await ask(() => Promise.resolve(pathThrough("A", "C")))).toBe("failed");
    expect(await ask(() => Promise.reject(new ServerError("broken", { whoActs: "service" })))).toBe("failed");
  });
});

describe("an object", () => {
  const search = (...found: string[]) => {
    const records = found.map((objectid) => ({ objectid }));
    const service = { objects: { search: () => Promise.resolve({ records }) } } as unknown as AttackPathService;
    return counterCheck(service, [{ source: null, target: "Straße" }]);
  };

  test("is known when the search finds its id in whatever letter case", async () => {
    expect(await search("STRAßE")).toBe("none");
  });

  test("is not known because another one is that only capitals make the same", async () => {
    expect(await search("Strasse")).toBe("unknown_object");
  });
});

test("a tenant that stops telling when its analysis ended is not judged by its sparklines in the same run", async () => {
  const answers = [{ idle: true, completedAt: "2026-11-20T02:00:00Z" }, null];
  const status = () => Promise.resolve(answers.shift() ?? null);
  const times = new AnalysisTimes({ analysis: { status } } as unknown as AttackPathService, false);
  expect(await times.ofTenant()).toEqual({ at: Date.parse("2026-11-20T02:00:00Z") });
  expect(await times.ofTenant()).toHaveProperty("why");
});

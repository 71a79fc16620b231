import { describe, expect, test } from "@jest/globals";
import { readCompleteList } from "../../src/follow-up/proof/complete-list.ts";
import { type FindingKey, findingKeyOf } from "../../src/follow-up/finding-key.ts";
import type { Tracked } from "../../src/follow-up/streams.ts";
import type { AttackPathService } from "../../src/service/attack-path-service.ts";
import type { Finding } from "../../src/service/resources/findings.records.ts";

const STREAM = { environmentId: "E", findingType: "T0GenericAll" };
const KEY = findingKeyOf("A", "B");
const CREATED = "2026-11-19T02:00:00Z";
const wanted: ReadonlyMap<FindingKey, Tracked> = new Map([
  [KEY, { id: "1", source: "A", target: "B", createdAt: Date.parse(CREATED), isOpen: true, others: [] }],
]);

interface Answers {
  /** How many the service counts when it is asked for one. */
  counted?: number | null;
  /** How many it really has. */
  length?: number;
  sought?: typeof wanted;
}

function read(findings: Finding[], total: number | null, answers: Answers = {}) {
  const { counted = null, length = findings.length, sought = wanted } = answers;
  const page = { findings, total, invalidValues: [], skip: 0, inOrder: true };
  async function* pages() {
    yield await Promise.resolve(page);
  }
  const newest = () => Promise.resolve({ total: counted, newest: null });
  const hasMore = (_: unknown, read: number) => Promise.resolve(length > read);
  const service = { findings: { pages, newest, hasMore, pageSize: 1_000 } } as unknown as AttackPathService;
  return readCompleteList(service, STREAM, sought, () => true);
}

const finding: Finding = { id: 1, Finding: "T0GenericAll", FromPrincipal: "A", ToPrincipal: "B", Severity: "high" };

test("a read is complete when the service counts as many findings as it lists", async () => {
  const list = await read([finding], 1);
  expect(list.kind === "complete" && list.listed.get(KEY)).toEqual({ kind: "active", severity: "high" });
});

test.each<[string, Finding[], number | null]>([
  ["the service does not count its findings", [finding], null],
  ["it counts more than it lists", [finding], 2],
  ["it lists findings of another type", [finding, {}], 2],
  ["it lists a finding without its objects", [finding, { id: 2, ToPrincipal: "B" }], 2],
  ["it counts fewer than it lists", [finding, { ...finding, id: 2 }], 1],
])("a read proves nothing when %s", async (_, findings, total) => {
  expect((await read(findings, total)).kind).toBe("incomplete");
});

test("a finding that is marked as deleted is not listed, unless it is listed again", async () => {
  const deleted = { ...finding, id: 2, deleted_at: "2026-11-20T02:00:00Z" };
  const once = await read([deleted], 1);
  const at = Date.parse("2026-11-20T02:00:00Z");
  expect(once.kind === "complete" && once.listed.get(KEY)).toEqual({ kind: "deleted", at, isAccepted: false });
  const again = await read([deleted, { ...finding, Accepted: true }], 2);
  expect(again.kind === "complete" && again.listed.get(KEY)?.kind).toBe("accepted");
});

test("a service may leave what is deleted out of its count", async () => {
  const deleted = { ...finding, id: 2, FromPrincipal: "C", deleted_at: "2026-11-20T02:00:00Z" };
  expect((await read([deleted, finding], 1)).kind).toBe("complete");
});

test.each(["0001-01-01T00:00:00Z", null])("a finding that was deleted at %s is listed", async (deletedAt) => {
  const list = await read([{ ...finding, deleted_at: deletedAt }], 1);
  expect(list.kind === "complete" && list.listed.get(KEY)?.kind).toBe("active");
});

test("a finding is listed, whatever letter case and direction its objects have", async () => {
  const list = await read([{ ...finding, id: 9, FromPrincipal: "b", ToPrincipal: "a" }], 1);
  expect(list.kind === "complete" && list.listed.get(KEY)?.kind).toBe("active");
});

test("a finding is not listed because another one is whose objects only capitals make the same", async () => {
  const key = findingKeyOf("straße", "B");
  const sought = new Map([[key, { ...wanted.get(KEY)!, id: "x", source: "straße" }]]);
  const list = await read([{ ...finding, FromPrincipal: "strasse" }], 1, { sought });
  expect(list.kind === "complete" && list.listed.size).toBe(0);
});

test("a finding with the id and the date of the alert's is listed, whatever its objects are", async () => {
  const other: Finding = { id: 1, Finding: "T0GenericAll", created_at: CREATED, Principal: "X", Severity: "high" };
  const list = await read([other], 1);
  expect(list.kind === "complete" && list.listed.get(KEY)?.kind).toBe("active");
  const later = await read([{ ...other, created_at: "2026-11-20T02:00:00Z" }], 1);
  expect(later.kind === "complete" && later.listed.has(KEY)).toBe(false);
});

test("a page that is full counts for the whole list only when the service confirms it", async () => {
  const page = Array.from({ length: 1_000 }, (_, id): Finding => ({ ...finding, id, ToPrincipal: `T${id}` }));
  expect((await read(page, 1_000, { counted: 5_000 })).kind).toBe("incomplete");
  expect((await read(page, 1_000, { counted: 1_000 })).kind).toBe("complete");
});

describe("a finding is absent", () => {
  const others = ["C", "D"].map((target, at): Finding => ({ ...finding, id: at + 2, ToPrincipal: target }));

  test("from a list that has nothing more, and where each finding says its type or environment", async () => {
    const untyped = others.map(({ Finding: _, ...rest }): Finding => ({ ...rest, DomainSID: "E" }));
    for (const list of [others, untyped]) expect((await read(list, 2)).kind).toBe("complete");
  });

  test.each<[string, Finding[], Answers]>([
    ["that goes on behind its count", others, { length: 3 }],
    ["that has another finding of the same objects twice", [...others, { ...others[0], id: 9 }], {}],
    [
      "of findings that do not say what type they are of",
      [...others, { id: 9, FromPrincipal: "A", ToPrincipal: "E" }],
      {},
    ],
  ])("from no list %s", async (_, list, answers) => {
    expect((await read(list, list.length, answers)).kind).toBe("incomplete");
    const deleted = { ...finding, id: 10, deleted_at: "2026-11-20T02:00:00Z" };
    expect((await read([...list, deleted], list.length + 1, answers.length ? { length: 4 } : {})).kind).toBe(
      "incomplete",
    );
    expect((await read([...list, { ...finding, id: 10 }], list.length + 1, answers)).kind).toBe("complete");
  });

  test("also where the objects of two findings are the same in capitals only", async () => {
    const two = ["straße", "strasse"].map((target, at): Finding => ({ ...finding, id: at + 2, ToPrincipal: target }));
    expect((await read(two, 2)).kind).toBe("complete");
  });

  test("also where findings lead both ways between two objects, or were deleted and came again", async () => {
    const [there] = others;
    const back = { ...there, id: 8, FromPrincipal: "C", ToPrincipal: "A" };
    const deleted = { ...there, id: 9, deleted_at: "2026-11-20T02:00:00Z" };
    expect((await read([...others, back, deleted], 4)).kind).toBe("complete");
  });
});

test("a finding whose source the host does not know is listed with either of its objects", async () => {
  const sought = new Map(
    [...wanted.values()].map((each) => [findingKeyOf(null, "B"), { ...each, id: "x", source: null }]),
  );
  for (const ends of [{}, { FromPrincipal: "b", ToPrincipal: "A" }]) {
    const list = await read([{ ...finding, ...ends }], 1, { sought });
    expect(list.kind === "complete" && list.listed.get(findingKeyOf(null, "B"))?.kind).toBe("active");
  }
});

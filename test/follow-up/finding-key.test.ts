import { describe, expect, test } from "@jest/globals";
import { findingKeyOf } from "../../src/follow-up/finding-key.ts";
import { FollowedStream } from "../../src/follow-up/streams.ts";
import type { JobAlert } from "../../src/runtime/protocol.ts";

describe("the key of a finding", () => {
  test("is that of states which were saved before, in whatever letter case its objects are", () => {
    const key = "18 S-1-5-21-1-2-3-512S-1-5-7";
    expect(findingKeyOf("S-1-5-7", "S-1-5-21-1-2-3-512")).toBe(key);
    expect(findingKeyOf("s-1-5-21-1-2-3-512", "s-1-5-7")).toBe(key);
    expect(findingKeyOf(null, "jürgen@62e90394")).toBe("0 JÜRGEN@62E90394");
  });

  test.each([
    ["straße", "strasse"],
    ["admın", "admin"],
    ["ſven", "sven"],
    ["ﬁn", "fin"],
  ])("of %s is not that of %s, which only capitals make the same", (one, other) => {
    expect(findingKeyOf(one, "B")).not.toBe(findingKeyOf(other, "B"));
    expect(findingKeyOf(null, one)).not.toBe(findingKeyOf(null, other));
    expect(findingKeyOf("A", one)).not.toBe(findingKeyOf("A", other));
  });
});

test("a stream asks about each finding on its own whose objects only capitals make the same", () => {
  const stream = new FollowedStream("T0GenericAll");
  const findings = ["straße", "strasse"].map((target) => ({ id: target, source: "A", target, createdAt: 0 }));
  stream.alerts.push({ findings, status: "open" } as unknown as JobAlert);
  expect([...stream.findings.values()].map(({ target }) => target)).toEqual(["straße", "strasse"]);
});

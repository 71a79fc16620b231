import { beforeAll, describe, expect, it } from "@jest/globals";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { MOST_PAIRS } from "../../src/investigation/cuts/find-cuts.ts";
import { askHere, commandLineHere } from "../support/command-line.ts";
import { skippingClock } from "../support/fake-clock.ts";
import { startTenant, withTenant } from "../support/tenant.ts";

const FJORD = "FJORD.TEST";

/** Nobody waits for the rate limit. */
const clock = skippingClock();
const ask = (asked: Tenant, args: readonly string[]) => askHere(asked, args, { clock });

let tenant: Tenant;
beforeAll(async () => {
  tenant = await startTenant({ clock, dataset: { kind: "demo", analysedAt: "2026-01-15T06:00:00Z" } });
});

interface Cut {
  edge: { from: { objectId: string }; relation: string; to: { objectId: string } };
  closes: number;
  through: number;
  bound: string;
  of: number;
}

describe("cuts", () => {
  it("says how many pairs it asks about", async () => {
    const { out } = await commandLineHere(["cuts", "--help"]);
    expect(out.replaceAll(/\s+/g, " ")).toContain(`with the worst findings (default: ${MOST_PAIRS})`);
  });

  it("ranks the relationships by how many findings close without them, at most", async () => {
    const { code, out, error } = await ask(tenant, ["cuts", "--environment", FJORD, "--json"]);
    const cuts = out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line) as Cut);
    expect([code, cuts.length]).toEqual([0, 20]);
    expect(cuts.map(({ closes }) => closes)).toEqual(cuts.map(({ closes }) => closes).toSorted((a, b) => b - a));
    for (const { edge, closes, through, bound, of } of cuts) {
      expect(tenant.data.graph.outgoing(edge.from.objectId)).toContainEqual({
        from: edge.from.objectId,
        kind: edge.relation,
        to: edge.to.objectId,
      });
      expect(bound).toBe("at most");
      expect(closes).toBeLessThanOrEqual(through);
      expect(through).toBeLessThanOrEqual(of);
    }
    expect(error).toContain("a longer detour may keep a finding open");
  });

  it("shows a table, of objects if asked, and no more rows than asked for", async () => {
    const { out, error } = await ask(tenant, ["cuts", "--environment", FJORD, "--limit", "2"]);
    const [head, ...rows] = out.trimEnd().split("\n");
    expect(head).toMatch(/^Closes\s+From\s+Relation\s+To$/i);
    expect(rows).toHaveLength(2);
    expect(rows[0]).toMatch(/^at most \d+ of \d+ findings/);
    expect(error).toMatch(/There are \d+ more than the --limit\./);
    const objects = await ask(tenant, ["cuts", "--environment", FJORD, "--objects"]);
    expect(objects.out).toMatch(/^Closes\s+Object\s+Kind\nat most /i);
    const json = await ask(tenant, ["cuts", "--environment", FJORD, "--objects", "--json", "--limit", "1"]);
    const name = /at most \d+ of (\d+) findings +(\S.*?) {2,}(\S+)$/m.exec(objects.out);
    expect(JSON.parse(json.out)).toMatchObject({
      object: { name: name?.[2], kind: name?.[3] },
      bound: "at most",
      of: Number(name?.[1]),
    });
  });

  it("says of nothing that it was left out, where nothing was", async () => {
    const { error } = await ask(tenant, ["cuts", "--environment", FJORD, "--limit", "1000"]);
    expect(error).not.toMatch(/more than|Not looked at/);
  });

  it("has no answer when neither findings nor paths can be read", async () => {
    await withTenant({ clock, dataset: { kind: "demo" } }, async (broken) => {
      broken.control.fault({ path: "shortest-path$", effect: { kind: "status", status: 500 } });
      expect(await ask(broken, ["cuts", "--environment", FJORD])).toMatchObject({ code: 4, out: "" });
      broken.control.fault({ path: "details$", effect: { kind: "status", status: 403 } });
      expect(await ask(broken, ["cuts", "--environment", FJORD])).toMatchObject({ code: 3, out: "" });
    });
  });

  it("asks about no more pairs than allowed, and says what it has not looked at", async () => {
    const before = tenant.requests.length;
    const { code, error } = await ask(tenant, ["cuts", "--environment", FJORD, "--pairs", "3"]);
    const asked = tenant.requests.slice(before).filter(({ path }) => path.includes("shortest-path"));
    expect(asked.length).toBeLessThanOrEqual(3);
    expect(code).toBe(5);
    expect(error).toMatch(/Not looked at: \d+ findings/);
  });

  it("names the finding types that it could not read, and counts the findings whose path is unknown", async () => {
    await withTenant({ clock, dataset: { kind: "demo" } }, async (broken) => {
      const effect = { kind: "status", status: 403 } as const;
      broken.control.fault({ path: "details$", query: { finding: "T0GenericAll" }, effect });
      const unread = await ask(broken, ["cuts", "--environment", FJORD]);
      expect(unread.code).toBe(5);
      expect(unread.error).toContain("Incomplete: T0GenericAll.");
      broken.control.fault({ path: "shortest-path$", from: 3, effect: { kind: "status", status: 500 } });
      const { code, error } = await ask(broken, ["cuts", "--environment", FJORD]);
      expect(code).toBe(5);
      expect(error).toMatch(/Not counted: \d+ findings, of which the path is not known\./);
    });
  });
});

describe("path without an end", () => {
  it("says how near the start is to Tier Zero, and shows the way", async () => {
    const { code, out, error } = await ask(tenant, ["path", `SVC_SQL@${FJORD}`]);
    expect(code).toBe(0);
    expect(out).toContain("◆ Tier Zero");
    expect(error).toMatch(/SVC_SQL@FJORD\.TEST is \d+ hops? from Tier Zero: /);
    expect(error).toContain("An object of Tier Zero that was not tried may be nearer.");
    const json = await ask(tenant, ["path", `SVC_SQL@${FJORD}`, "--json"]);
    expect(JSON.parse(json.out)).toMatchObject({ exists: true, nearTierZero: { starts: [{ exists: true }] } });
  });

  it("says of which object an address of another domain was taken", async () => {
    const { error } = await ask(tenant, ["path", "nils.kovac@evil.example"]);
    expect(error).toContain(
      "Found by another form of the name: nils.kovac@evil.example is NILS.KOVAC@CORP.HALDEN.TEST.",
    );
  });

  it("cannot say it of a name that is unknown", async () => {
    const { code, error } = await ask(tenant, ["path", "NOBODY@NOWHERE.TEST"]);
    expect(code).toBe(2);
    expect(error).toContain("NOBODY@NOWHERE.TEST");
  });
});

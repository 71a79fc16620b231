import { beforeAll, describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { arranged, type Sortable } from "../../src/cli/arranged.ts";
import { type Sort, SORTS } from "../../src/cli/option-values.ts";
import type { FindingRecord } from "../../src/records/finding-record.ts";
import { wrapped } from "../../src/cli/drawing/wrap.ts";
import { SEVERITIES } from "../../src/runtime/protocol.ts";
import { askHere } from "../support/command-line.ts";
import { skippingClock } from "../support/fake-clock.ts";
import { startTenant } from "../support/tenant.ts";

const FJORD = "S-1-5-21-3130019616-2776909439-2417379446";
const COLOURED = new RegExp(`${String.fromCharCode(27)}\\[[\\d;]+m`, "g");

/** Nobody waits for the rate limit. */
const clock = skippingClock();
let tenant: Tenant;
beforeAll(async () => {
  tenant = await startTenant({ clock, dataset: { kind: "demo", analysedAt: "2026-01-15T06:00:00Z" } });
});

/** What a terminal with so many columns shows. */
async function shown(args: readonly string[], columns: number) {
  const terminal = Object.assign(new PassThrough(), { isTTY: true, columns });
  const written = text(terminal);
  const { code } = await askHere(tenant, args, { clock, stdout: terminal });
  terminal.end();
  const out = await written;
  return { code, out, lines: out.replaceAll(COLOURED, "").trimEnd().split("\n") };
}

async function list(...options: string[]): Promise<FindingRecord[]> {
  const { out } = await askHere(tenant, ["findings", "--json", ...options], { clock });
  return out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as FindingRecord);
}

/** What a row is sorted by: smaller is sooner. */
const KEYS: Record<Sort, (row: Sortable) => number[]> = {
  severity: (row) => [SEVERITIES.indexOf(row.severity), -(row.impact_percentage ?? -Infinity)],
  impact: (row) => [-(row.impact_percentage ?? -Infinity)],
  exposure: (row) => [-(row.exposure_percentage ?? -Infinity)],
  created: (row) => [row.created_at === null ? Infinity : Date.parse(row.created_at)],
};

function expected<T extends Sortable>(rows: readonly T[], sort: Sort): T[] {
  const compare = (a: number[], b: number[]): number => {
    const at = a.findIndex((value, index) => value !== b[index]);
    return at < 0 ? 0 : (a[at] ?? 0) < (b[at] ?? 0) ? -1 : 1;
  };
  return [...rows].sort((a, b) => compare(KEYS[sort](a), KEYS[sort](b)));
}

describe("findings", () => {
  let all: FindingRecord[];
  beforeAll(async () => {
    all = await list();
  });

  it.each(SORTS)("can be sorted by %s, also when only the first ones are wanted", async (sort) => {
    expect(await list("--sort", sort)).toEqual(expected(all, sort));
    expect(await list("--sort", sort, "--limit", "7")).toEqual(expected(all, sort).slice(0, 7));
  });

  it("keep the order of the service without a sort, also when only the first ones are wanted", async () => {
    expect(await list("--limit", "7")).toEqual(all.slice(0, 7));
  });

  it("are the same with any limit as the first of all", async () => {
    const percentage = fc.option(fc.integer({ min: 0, max: 3 }));
    const row = fc.record({
      severity: fc.constantFrom(...SEVERITIES),
      impact_percentage: percentage,
      exposure_percentage: percentage,
      created_at: fc.constantFrom(null, "2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(row, { maxLength: 30 }),
        fc.nat(12),
        fc.constantFrom(...SORTS),
        async (rows, most, sort) => {
          const numbered = rows.map((each, number) => ({ ...each, number }));
          const taken: Sortable[] = [];
          let isCut = false;
          const source = (async function* () {
            await Promise.resolve();
            yield* numbered;
          })();
          for await (const each of arranged(source, { sort, limit: most + 1 }, () => (isCut = true))) taken.push(each);
          expect(taken).toEqual(expected(numbered, sort).slice(0, most + 1));
          expect(isCut).toBe(rows.length > most + 1);
        },
      ),
    );
  });

  it("that a limit leaves out are mentioned beside a table", async () => {
    const { error } = await askHere(tenant, ["findings", "--limit", "2"], { clock });
    expect(error).toBe("There are more findings than the 2 of --limit.\n");
    expect((await askHere(tenant, ["findings", "--limit", "100000"], { clock })).error).toBe("");
    expect((await askHere(tenant, ["findings", "--limit", "2", "--json"], { clock })).error).toBe("");
  });

  it("show severity, impact and both principals on a terminal of 60 columns, and more on a wider one", async () => {
    const args = ["findings", "--environment", "FJORD.TEST", "--sort", "severity"];
    const { lines } = await shown(args, 60);
    expect(lines[0]).toMatch(/^SEVERITY +IMPACT +FROM +TO$/);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(lines[1]).toMatch(/^critical +\d+(\.\d)?% /);
    const names = (await list("--environment", "FJORD.TEST")).flatMap((row) => String(row.target_principal_name));
    for (const line of lines.slice(1)) {
      const to = line.slice((lines[0] ?? "").indexOf("TO")).replace("…", "");
      expect(to.length).toBeGreaterThanOrEqual(10);
      expect(names.some((name) => name.startsWith(to))).toBe(true);
    }
    const wide = await shown(args, 120);
    expect(wide.lines[0]).toMatch(/^SEVERITY +IMPACT +ENVIRONMENT +FINDING TYPE +FROM +TO +CREATED$/);
    expect(wide.lines[1]).toMatch(/ 20\d\d-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(Math.max(...wide.lines.map((line) => line.length))).toBeLessThanOrEqual(120);
  });

  it("have colours for their severity on a terminal only", async () => {
    const args = ["findings", "--sort", "severity", "--limit", "1"];
    expect((await shown(args, 80)).out).toContain("\u001b[1;31mcritical\u001b[0m");
    expect((await askHere(tenant, args, { clock })).out).not.toMatch(COLOURED);
  });
});

describe("path", () => {
  it("marks the objects of Tier Zero", async () => {
    const { lines } = await shown(["path", "PETRA.SILVA@FJORD.TEST", "DOMAIN ADMINS@FJORD.TEST"], 120);
    expect(lines[1]).toMatch(/^ +1 {2}PETRA\.SILVA@FJORD\.TEST +ForceChangePassword +◆ ADMINISTRATOR@FJORD\.TEST$/);
    expect(lines.at(-1)).toBe("◆ Tier Zero");
  });
});

describe("assets", () => {
  it("takes names as well as ids", async () => {
    const byName = await askHere(tenant, ["assets", "domain admins@fjord.test", "--json"], { clock });
    const byId = await askHere(tenant, ["assets", `${FJORD}-512`, "--json"], { clock });
    expect(byName).toEqual(byId);
    expect(byName.code).toBe(0);
  });

  it("says where to look for a name that does not exist, and shows the others", async () => {
    const { code, out, error } = await askHere(tenant, ["assets", "NOBODY", `${FJORD}-512`], { clock });
    expect([code, out]).toEqual([1, expect.stringContaining("DOMAIN ADMINS@FJORD.TEST")]);
    expect(error).toBe(
      'Error: NOBODY was not found. To see objects with similar names, run: attack-path-analysis object-id "NOBODY".\n',
    );
  });

  it("breaks long values on a terminal", async () => {
    const { lines } = await shown(["assets", `${FJORD}-512`], 60);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(lines.join("").replaceAll(" ", "")).toContain("DC02.FJORD.TEST");
  });
});

describe("meta-tree", () => {
  it("draws a tree on a terminal, and writes JSON to a program", async () => {
    const { lines } = await shown(["meta-tree", "FJORD.TEST"], 60);
    expect(lines[0]).toBe("TIER ZERO FJORD.TEST");
    expect(lines).toContain("├─ HUGO.VOGEL@FJORD.TEST  AddMember, WriteDacl, Owns");
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
    const { out } = await askHere(tenant, ["meta-tree", "FJORD.TEST"], { clock });
    expect((await shown(["meta-tree", "FJORD.TEST", "--json"], 60)).out).toBe(out);
    expect(JSON.parse(out)).toHaveProperty("meta-tier-zero");
  });

  it("draws cycles, and what leads to several nodes, once, at any depth", async () => {
    const own = await startTenant({ dataset: { kind: "demo" } });
    const node = (key: string) => [key, { label: { text: key } }] as const;
    const edge = (from: string, to: string) =>
      [`${from}-${to}`, { id1: from, id2: to, label: { text: "Owns" } }] as const;
    const chain = Array.from({ length: 2_000 }, (_, number) => `n${number}`);
    const items = [
      ...["A", "B", "C", "loop1", "loop2", ...chain].map(node),
      ...[edge("B", "A"), edge("C", "A"), edge("C", "B"), edge("loop1", "loop2"), edge("loop2", "loop1")],
      ...chain.slice(1).map((key, number) => edge(key, `n${number}`)),
    ];
    const graph = JSON.stringify({ data: Object.fromEntries(items) });
    own.control.fault({ path: "/meta-trees/", effect: { kind: "body", transform: () => graph, status: 200 } });
    const { code, out } = await askHere(own, ["meta-tree", "FJORD.TEST", "--format", "tree"]);
    expect(code).toBe(0);
    const lines = out.trimEnd().split("\n");
    expect(lines.slice(0, 4)).toEqual(["A", "├─ B  Owns", "│  └─ C  Owns", "└─ C  Owns"]);
    expect(lines).toHaveLength(2_000 + 6 + 1);
    expect(lines.slice(-3)).toEqual(["loop1", "└─ loop2  Owns", "   └─ loop1  Owns (see above)"]);
  });
});

describe("the lines of a text", () => {
  it("fit, and together are the text", () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), fc.integer({ min: 1, max: 30 }), (said, width) => {
        const lines = wrapped(said, width);
        expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
        expect(lines.join("").replaceAll(" ", "")).toBe(said.replaceAll(" ", ""));
      }),
    );
  });
});

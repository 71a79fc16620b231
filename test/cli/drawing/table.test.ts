import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "@jest/globals";
import { writeFacts } from "../../../src/cli/facts.ts";
import { Output } from "../../../src/cli/output/output.ts";
import { type Column, type Row, writeRows } from "../../../src/cli/rows.ts";
import { drawTree } from "../../../src/cli/drawing/tree-drawing.ts";
import type { MetaTreeGraph } from "../../../src/service/resources/graph.records.ts";
import { FakeClock } from "../../support/fake-clock.ts";

/** The lines that are written to a terminal with so many columns, or to a program. */
async function linesOf(columns: number | null, write: (output: Output) => Promise<unknown>): Promise<string[]> {
  const stdout = Object.assign(new PassThrough(), columns === null ? {} : { isTTY: true, columns });
  const written = text(stdout);
  const { signal: stop } = new AbortController();
  await write(new Output({ stdout, stderr: new PassThrough(), colours: true, clock: new FakeClock(), stop }));
  stdout.end();
  return (await written).split("\n").slice(0, -1);
}

const bold = (shown: string): string => `\u001b[1m${shown}\u001b[0m`;
const dim = (shown: string): string => `\u001b[2m${shown}\u001b[0m`;

it.each([0, 1, 5])("is told anything on a terminal that says it has %d columns", async (columns) => {
  const stderr = Object.assign(new PassThrough(), { isTTY: true, columns });
  const { signal: stop } = new AbortController();
  const output = new Output({ stdout: new PassThrough(), stderr, colours: false, clock: new FakeClock(), stop });
  output.progress("Reading an environment with a long name");
  output.note("There is no path from alice to bob.");
  stderr.end();
  const said = await text(stderr);
  expect(said.replace(/\s/g, "")).toContain("Thereisnopathfromalicetobob.");
  expect(Math.max(...said.split(/[\r\n]/).map((line) => line.replace("\u001b[K", "").length))).toBeLessThanOrEqual(80);
});

describe("a table", () => {
  const table = (terminal: number | null, columns: readonly Column[], rows: readonly Row[]) =>
    linesOf(terminal, (output) => writeRows(output, { format: "table", columns }, rows));
  const name = { key: "name", title: "Name" };
  const group = { key: "group", title: "Group" };
  const long = (length: number): string => "x".repeat(length);

  it("shows a program every character, below titles that stand where the columns begin", async () => {
    const columns = [name, { key: "count", title: "Count", align: "right" as const }, group];
    const rows = [
      { name: "a", count: 1_000_000, group: ["b", "c"] },
      { name: long(70), count: null, group: true },
      { name: null, count: 5, group: undefined },
    ];
    expect(await table(null, columns, rows)).toEqual([
      `NAME${" ".repeat(58)}  COUNT  GROUP`,
      `a${" ".repeat(61)}1000000  b c`,
      `${long(70)}           true`,
      `${" ".repeat(68)}5`,
    ]);
  });

  it.each([
    [0, 80],
    [1, 12],
    [12, 12],
  ])("on a terminal that says it has %d columns takes up to %d", async (columns, width) => {
    const [title, row = ""] = await table(columns, [name], [{ name: long(100) }]);
    expect(title).toBe(bold("NAME"));
    expect(row).toHaveLength(width);
  });

  it("is not shown when there are no rows", async () => {
    expect(await table(80, [name], [])).toEqual([]);
  });

  it("has columns as wide as the first 200 rows need, also when later ones are longer", async () => {
    const rows = Array.from({ length: 202 }, (_, index) => ({ name: index < 200 ? "a" : "longer", group: index }));
    rows[199] = { name: "abcdef", group: 199 };
    rows[201] = { name: "longest", group: 201 };
    const lines = await table(80, [name, group], rows);
    expect(lines).toHaveLength(203);
    expect([lines[1], lines[200], lines[201], lines[202]]).toEqual([
      "a       0",
      "abcdef  199",
      "longer  200",
      "longe…  201",
    ]);
    expect((await table(null, [name, group], rows))[202]).toBe("longest  201");
  });

  it("takes room on a terminal from its widest columns, until a line fits", async () => {
    const shown = async (columns: number) =>
      (await table(columns, [name, group], [{ name: long(30), group: long(20) }]))[1];
    expect(await shown(52)).toBe(`${long(30)}  ${long(20)}`);
    expect(await shown(51)).toBe(`${long(28)}…  ${long(20)}`);
    expect(await shown(40)).toBe(`${long(18)}…  ${long(18)}…`);
    expect(await shown(22)).toBe(`${long(9)}…  ${long(9)}…`);
    expect(await shown(20)).toBe(`${long(8)}…  ${long(8)}…`);
  });

  it("leaves a column the width that says enough, as long as others have more", async () => {
    const columns = [
      { ...name, narrowest: 18 },
      { key: "group", title: "A title of its own" },
      { key: "id", title: "Id" },
    ];
    const row = { name: long(25), group: long(30), id: long(30) };
    expect((await table(50, columns, [row]))[1]).toBe(`${long(17)}…  ${long(17)}…  ${long(9)}…`);
  });

  it("leaves out columns that a narrow terminal does not show, the least important first, and no more than it must", async () => {
    const columns = [
      { key: "a", title: "A", leftOut: 2 },
      { key: "b", title: "B" },
      { key: "c", title: "C", leftOut: 1 },
      { key: "d", title: "D" },
    ];
    const row = { a: long(12), b: long(12), c: long(12), d: "d" };
    const titles = async (width: number) => {
      const [line = ""] = await table(width, columns, [row]);
      return line.slice(bold("").indexOf("m") + 1).replaceAll(/[^A-D]/g, "");
    };
    expect([await titles(37), await titles(36), await titles(25), await titles(24), await titles(5)]).toEqual([
      "ABCD",
      "ABD",
      "ABD",
      "BD",
      "BD",
    ]);
  });

  it("has styles for values that are there, and titles in bold", async () => {
    const columns: Column[] = [
      { ...name, style: () => "red", show: (cell) => (cell === "" ? "" : `<${String(cell)}>`) },
      { ...group, style: (cell) => (cell === "b" ? "green" : undefined) },
    ];
    const lines = await table(80, columns, [
      { name: "a", group: "b" },
      { name: null, group: "c" },
      { name: "", group: undefined },
      { name: ["d"], group: "b" },
    ]);
    expect(lines).toEqual([
      bold("NAME  GROUP"),
      "\u001b[31m<a>\u001b[0m   \u001b[32mb\u001b[0m",
      "      c",
      "",
      "d     \u001b[32mb\u001b[0m",
    ]);
  });
});

describe("a meta tree for people", () => {
  function tree(terminal: number | null, nodes: readonly string[], edges: readonly string[]): Promise<string[]> {
    const graph = Object.fromEntries([
      ...nodes.map((key) => [key, { label: { text: key } }]),
      ...edges.map((edge, index) => {
        const [id1, label, id2] = edge.split(" ");
        return [`edge ${index}`, { id1, id2, label: { text: label } }];
      }),
    ]) as unknown as MetaTreeGraph;
    return linesOf(terminal, (output) => drawTree(output, graph));
  }

  it("names each kind of edge between two nodes once, and none from a node to itself", async () => {
    const edges = ["B Owns A", "B Owns A", "B GenericAll A", "A Owns A", "C Owns B", "D Owns A"];
    expect(await tree(null, ["A", "B", "C", "D"], edges)).toEqual([
      "A",
      "├─ B  Owns, GenericAll",
      "│  └─ C  Owns",
      "└─ D  Owns",
    ]);
  });

  it("draws below a node what leads to it only once, and says so where there is something", async () => {
    const edges = ["C Owns A", "C Owns B", "D Owns C", "E Owns A", "E Owns B"];
    expect(await tree(null, ["A", "B", "C", "D", "E"], edges)).toEqual([
      "A",
      "├─ C  Owns",
      "│  └─ D  Owns",
      "└─ E  Owns",
      "B",
      "├─ C  Owns (see above)",
      "└─ E  Owns",
    ]);
  });

  it("has roots in bold and edges dim, and cuts lines that do not fit the terminal", async () => {
    expect(await tree(20, ["A long name of a root", "Node"], [])).toEqual(
      ["A long name of a ro", "Node"].map((label, index) => bold(index === 0 ? `${label.slice(0, 19)}…` : label)),
    );
    const lines = await tree(12, ["A", "Node", "A-longer-node"], ["Node GenericAll A", "A-longer-node Owns A"]);
    expect(lines).toEqual([bold("A"), `├─ Node${dim("  Ge…")}`, "└─ A-longer…"]);
  });

  it("goes on at the same depth where a terminal has no room to go deeper", async () => {
    const keys = Array.from({ length: 6 }, (_, index) => `n${index}`);
    const lines = await tree(
      12,
      keys,
      keys.slice(1).map((key, index) => `${key} x n${index}`),
    );
    expect(lines.map((line) => line.indexOf("n"))).toEqual([4, 3, 6, 9, 9, 9]);
  });

  it("begins with what leads nowhere, then draws cycles", async () => {
    const edges = ["loop Owns other", "other Owns loop", "B Owns A", "A Owns A"];
    expect(await tree(null, ["loop", "other", "B", "A"], edges)).toEqual([
      "A",
      "└─ B  Owns",
      "loop",
      "└─ other  Owns",
      "   └─ loop  Owns (see above)",
    ]);
  });

  it("is complete, however many lines it has", async () => {
    const keys = Array.from({ length: 1_001 }, (_, index) => `node ${index}`);
    expect(await tree(null, keys, [])).toEqual(keys);
  });
});

describe("facts", () => {
  const sid = "S-1-5-21-3130019616-2776909439-2417379446-512";
  const facts = (terminal: number | null) =>
    linesOf(terminal, (output) =>
      writeFacts(output, [
        ["object id", sid],
        ["count of controllables", 5],
        ["none", null],
      ]),
    );

  it("stand in a table, whose values take several lines where they must", async () => {
    expect(await facts(null)).toEqual([
      "FACT                    VALUE",
      `object id               ${sid}`,
      "count of controllables  5",
    ]);
    const narrow = await facts(46);
    expect(narrow.slice(1)).toEqual([
      `object id               ${sid.slice(0, 22)}`,
      `${" ".repeat(24)}${sid.slice(22, 44)}`,
      `${" ".repeat(24)}${sid.slice(44)}`,
      "count of controllables  5",
    ]);
  });

  it.each([12, 20, 40])("lose nothing on a terminal with %d columns", async (columns) => {
    const shown = await facts(columns);
    const plain = shown.map((line) => line.replaceAll("\u001b[1m", "").replaceAll("\u001b[0m", ""));
    expect(Math.max(...plain.map((line) => line.length))).toBeLessThanOrEqual(columns);
    expect(plain.join("").replaceAll(" ", "")).toBe(`objectid${sid}countofcontrollables5`);
  });

  it("that are not known leave nothing to write", async () => {
    expect(await linesOf(12, (output) => writeFacts(output, [["none", null]]))).toEqual([]);
  });
});

import { describe, expect, it } from "@jest/globals";
import { commandLineHere } from "../support/command-line.ts";

/** Without credentials: the command asks no service. */
const ask = (...args: string[]) => commandLineHere(args);

describe("explain", () => {
  it("explains a kind without credentials, letter case ignored", async () => {
    const { code, out, error } = await ask("explain", "writedacl");
    expect([code, error]).toEqual([0, ""]);
    for (const text of [
      "WRITEDACL",
      "change the permissions of the target",
      "removed safely".toUpperCase(),
      "edges/write-dacl",
    ])
      expect(out).toContain(text);
    const { out: json } = await ask("explain", "ADCSESC1", "--json");
    expect(JSON.parse(json)).toMatchObject({ kind: "ADCSESC1", technique: "T1649" });
  });

  it("suggests similar kinds for an unknown one, and exits with 2", async () => {
    const { code, error } = await ask("explain", "WriteDcal");
    expect(code).toBe(2);
    expect(error).toContain("No kind of relationship is named WriteDcal. Did you mean WriteDacl");
    expect((await ask("explain", "xyz")).error).toContain("attack-path-analysis explain.");
  });

  it("lists every kind without one", async () => {
    const { code, out } = await ask("explain");
    expect(code).toBe(0);
    expect(out.trimEnd().split("\n")).toHaveLength(133);
  });
});

import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { checks } from "../../src/cli/doctor/doctor.ts";
import { builtNpmFolder } from "../support/package.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startTenant } from "../support/tenant.ts";
import { blocksOf, readDocuments } from "./documents.ts";

const page = (await readDocuments()).find(({ path }) => path === "docs/poll-and-doctor.md");
if (page === undefined) throw new Error("docs/poll-and-doctor.md is missing.");
const blocks = blocksOf(page);
const folder = temporaryFolder();

interface Outcome {
  code: number;
  out: string;
  error: string;
}

/** Runs a line of the page in a shell, in the folder with the profile. */
function shell(line: string): Promise<Outcome> {
  const env = { PATH: [join(folder, "bin"), process.env["PATH"]].join(delimiter), HOME: folder };
  return new Promise((resolve) => {
    execFile("sh", ["-c", line], { cwd: folder, env }, (error, out, stderr) => {
      resolve({ code: typeof error?.code === "number" ? error.code : 0, out, error: stderr });
    });
  });
}

beforeAll(async () => {
  const tenant = await startTenant({ dataset: { environments: 2, findingTypes: 1, findingsPerPair: 30 } });
  const { url: server, tokenId, tokenKey } = tenant;
  writeFileSync(join(folder, "tenant.json"), JSON.stringify({ server, tokenId, tokenKey }), { mode: 0o600 });
  mkdirSync(join(folder, "bin"));
  const program = join(await builtNpmFolder(), "cli.mjs");
  const script = `#!/bin/sh\nexec "${process.execPath}" "${program}" "$@"\n`;
  writeFileSync(join(folder, "bin", "attack-path-analysis"), script, { mode: 0o755 });
}, 120_000);

describe("the page on poll and doctor", () => {
  it("shows polls that work, with what they say", async () => {
    const { lines = [] } = blocks.find((block) => block.lines[0]?.includes(" poll ")) ?? {};
    const said: string[] = [];
    for (const line of lines) {
      if (!line.startsWith("$ ")) continue;
      const { code, out, error } = await shell(line.slice(2));
      expect([code, out]).toEqual([0, ""]);
      said.push(error.trimEnd());
    }
    expect(said).toEqual(lines.filter((line) => line !== "" && !line.startsWith("$ ")));
    expect(readFileSync(join(folder, "alerts.ndjson"), "utf8").trimEnd().split("\n")).toHaveLength(2);
  });

  it("shows a line for cron that works, and says nothing when everything was read", async () => {
    const [cron = ""] = blocks.flatMap(({ lines }) => lines).filter((line) => line.startsWith("*/10 "));
    const command = cron.replace(/^(\S+ ){5}/, "").replace("/var/lib/attack-paths", `"${folder}"`);
    expect(await shell(command)).toEqual({ code: 0, out: "", error: "" });
  });

  it("shows calls of doctor that work, in the form of the output that it shows", async () => {
    const lines = blocks.flatMap((block) => block.lines);
    const calls = lines.filter((line) => line.startsWith("$ attack-path-analysis doctor"));
    expect(calls).toHaveLength(2);
    for (const call of calls) {
      const { code, out } = await shell(call.slice(2));
      expect(code).toBe(0);
      const shown = lines
        .filter((line) => /^(ok|FAILED|skipped) {2}/.test(line))
        .map((line) => line.slice(9, 38).trim());
      expect(
        out
          .split("\n")
          .slice(0, shown.length)
          .map((line) => line.slice(9, 38).trim()),
      ).toEqual(shown);
    }
    expect(readFileSync(join(folder, "report.json"), "utf8")).toContain('"canRun": true');
  });

  it("names every check of doctor, and none besides", () => {
    const named = [...page.text.matchAll(/^\| `([a-z:…-]+)` /gm)].map(([, name]) => name);
    const names = checks.map(({ name }) => name.replace(/^permission:.*/, "permission:…"));
    expect(named.sort()).toEqual([...new Set(names)].sort());
  });
});

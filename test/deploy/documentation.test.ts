import { describe, expect, it } from "@jest/globals";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { rootDir } from "../support/package.ts";
import { read } from "./project.ts";

const guide = await read("docs/google-secops.md");

/** Program text of the folder, with texts that run over several lines joined. */
async function programs(folder: string): Promise<string> {
  const names = await readdir(join(rootDir, folder), { recursive: true });
  const files = names.filter((name) => /\.(ts|py|cjs)$/.test(name)).map((name) => read(join(folder, name)));
  return (await Promise.all(files)).join("\n").replace(/"\s*\n\s*f?"/g, "");
}

describe("docs/google-secops.md", () => {
  it("quotes messages that the programs write", async () => {
    const code = (await Promise.all(["src", "connectors", "jobs"].map(programs))).join("\n");
    const troubleshooting = guide.slice(guide.indexOf("## Troubleshooting"));
    const cells = [...troubleshooting.matchAll(/^\| (`.+?) +\|/gm)].map(([, cell]) => cell!);
    expect(cells.length).toBeGreaterThan(25);
    const quoted = cells.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, message]) => message!));
    const unknown = quoted.filter(
      (message) => !message.split("…").every((part) => part.trim() === "" || code.includes(part.trim())),
    );
    expect(unknown).toEqual([]);
  });
});

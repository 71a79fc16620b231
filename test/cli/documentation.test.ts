import { beforeAll, describe, expect, it } from "@jest/globals";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { chmod, mkdir, writeFile } from "node:fs/promises";
import { join, resolve } from "node:path";
import { promisify } from "node:util";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { commands } from "../../src/cli/main.ts";
import { systemClock } from "../../src/clock.ts";
import { type CommandOutcome, commandLineHere } from "../support/command-line.ts";
import { skippingClock } from "../support/fake-clock.ts";
import { builtNpmFolder, rootDir } from "../support/package.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startTenant } from "../support/tenant.ts";

const run = promisify(execFile);
const guide = readFileSync(join(rootDir, "docs/command-line.md"), "utf8");
const readme = readFileSync(join(rootDir, "README.md"), "utf8");
const examples = [...`${guide}\n${readme}`.matchAll(/^npx attack-path-analysis .*$/gm)].map(([line]) => line);

/** Examples for which a shell and a process stand: of the others, this process opens the files. */
const IN_SHELL = /\||completion/;

/** Commands that compare the clock of the service with their own; nobody waits for the rate limit of the others. */
const IN_REAL_TIME = / (doctor|poll)\b/;

describe("the examples of docs/command-line.md and the README", () => {
  let tenant: Tenant;
  let home: string;
  let defaultProfile: string;
  beforeAll(async () => {
    tenant = await startTenant({ jwts: [{ token: "a.bearer.token" }] });
    home = temporaryFolder();
    const folder = join(home, ".config/attack-path-analysis");
    defaultProfile = join(folder, "profile.json");
    await mkdir(folder, { recursive: true });
    const profile = { server: tenant.url, tokenId: tenant.tokenId, tokenKey: tenant.tokenKey };
    await writeFile(defaultProfile, JSON.stringify(profile));
    await chmod(defaultProfile, 0o600);
    await writeFile(join(home, "bearer-token"), "a.bearer.token");
  });

  async function inShell(line: string): Promise<CommandOutcome> {
    const program = `"${process.execPath}" "${join(await builtNpmFolder(), "cli.mjs")}"`;
    const command = line.replace("npx attack-path-analysis", program);
    const options = { cwd: home, env: { PATH: process.env["PATH"], HOME: home } };
    const { stdout, stderr } = await run("bash", ["-c", `set -o pipefail; ${command}`], options);
    return { code: 0, out: stdout, error: stderr };
  }

  /** Runs a command without a shell: its files lie where a shell in the folder would look for them. */
  function here(line: string): Promise<CommandOutcome> {
    const {
      command = "",
      from,
      to,
    } = /^(?<command>[^<>#]*)(?:< (?<from>\S+))?(?:>>? (?<to>\S+))?(?:#.*)?$/.exec(line)?.groups ?? {};
    const [, , ...args] = [...command.matchAll(/"([^"]*)"|\S+/g)].map(([word, quoted]) => quoted ?? word);
    return commandLineHere(
      args.map((word) => (/^[\w-]+\.(json|ndjson)$/.test(word) ? resolve(home, word) : word)),
      {
        input: from === undefined ? tenant.tokenKey : readFileSync(resolve(home, from), "utf8"),
        ...(to !== undefined && { file: resolve(home, to) }),
        ...{ defaultProfile, clock: IN_REAL_TIME.test(line) ? systemClock : skippingClock() },
      },
    );
  }

  it.each(examples)("run: %s", async (example) => {
    const line = example
      .replace("https://tenant.example.com", tenant.url)
      .replace("00000000-0000-4000-8000-000000000000", tenant.tokenId);
    const { code, error } = await (IN_SHELL.test(line) ? inShell(line) : here(line));
    expect(code).toBe(0);
    expect(error).not.toContain("Error:");
  });

  it("stand beside a table of options that is true", async () => {
    const subcommands: Readonly<Record<string, string[]>> = {
      saml: ["list", "delete"],
      sso: ["delete"],
      task: ["current"],
      profile: ["add", "list", "use", "remove"],
    };
    const helps = new Map<string, string>();
    for (const { name } of commands) {
      for (const own of subcommands[name]?.map((each) => [name, each]) ?? [[name]]) {
        const { out } = await commandLineHere([...own, "--help"]);
        helps.set(name, `${helps.get(name) ?? ""}${out.replaceAll(/\s+/g, " ")}`);
      }
    }
    const having = (text: string): string[] => [...helps].flatMap(([name, help]) => (help.includes(text) ? name : []));
    const namesIn = (row: string): string[] =>
      [...(row.split("|")[2] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name!);
    const rowOf = (option: string): string => guide.split("\n").find((line) => line.startsWith(`| \`${option}`)) ?? "";
    const without = (all: string[], left: string[]): string[] => all.filter((name) => !left.includes(name));
    for (const format of ["ndjson", "csv", "ocsf", "dot"])
      expect([format, namesIn(rowOf(`--format ${format}`)).sort()]).toEqual([format, having(`"${format}"`).sort()]);
    const all = [...helps.keys()];
    expect(namesIn(rowOf("--json")).sort()).toEqual(without(all, having(" --json ")).sort());
    expect(namesIn(rowOf("--wait"))).toEqual(without(having(" --verbose "), having(" --wait ")));
  });

  it("show every command", () => {
    const shown = new Set(examples.map((line) => line.split(" ")[2]));
    expect(commands.map(({ name }) => name).filter((name) => !shown.has(name))).toEqual([]);
  });
});

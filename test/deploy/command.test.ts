import { beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { PassThrough, Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { readAccess } from "../../src/deploy/access.ts";
import { deployCommand } from "../../src/deploy/command.ts";
import { parseTarget } from "../../src/deploy/target.ts";
import { zipOfPlaybooks } from "../../src/packaging/google-secops/playbook.ts";
import { packageName } from "../../src/packaging/target.ts";
import { confirm, type Terminal } from "../../src/terminal.ts";
import { rootDir } from "../support/package.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { artefacts, groupingRules, manifest, NODE_WHEEL, packageFiles, packageZip } from "./project.ts";
import { KEY, RULES, type StandIn, startPlatform } from "./platform.ts";

describe("the command", () => {
  let platform: StandIn;
  let folder: string;
  beforeAll(async () => {
    folder = temporaryFolder();
    const playbooks = join(folder, "google-secops/playbooks.zip");
    await mkdir(dirname(playbooks));
    await writeFile(playbooks, await zipOfPlaybooks((await artefacts()).playbooks!));
    await writeFile(join(folder, "package.zip"), await packageZip());
    const withNode = { ...packageFiles(), [NODE_WHEEL]: "Node.js" };
    await writeFile(join(folder, `${packageName(manifest, "google-secops")}.zip`), await packageZip(withNode));
    await writeFile(join(folder, `${packageName(manifest, "google-secops-agent")}.zip`), await packageZip());
  });
  beforeEach(async () => {
    platform = await startPlatform();
  });

  interface Outcome {
    code: number | null;
    out: string;
    error: string;
  }

  /** Runs the command in this process, with standard input as a pipe. */
  async function command(
    options: readonly string[],
    input = `${KEY}\n`,
    env: NodeJS.ProcessEnv = {},
  ): Promise<Outcome> {
    const out: string[] = [];
    const error: string[] = [];
    const code = await deployCommand([...options, "--out", folder, "--backups", join(folder, "backups")], {
      rootDir,
      terminal: { input: Readable.from([Buffer.from(input)]), output: new PassThrough() },
      env: { CHRONICLE_ENDPOINT: platform.root, ...env },
      print: (line) => out.push(`${line}\n`),
      printError: (line) => error.push(`${line}\n`),
    });
    return { code, out: out.join(""), error: error.join("") };
  }

  /** Runs the script as a process of its own. */
  async function script(options: readonly string[]): Promise<Outcome> {
    const file = join(rootDir, "scripts/deploy-google-secops.ts");
    const process_ = spawn(process.execPath, ["--import", "tsx", file, ...options, "--out", folder], {
      cwd: rootDir,
    });
    process_.stdin.end(`${KEY}\n`);
    const exit = new Promise<number | null>((done) => process_.once("close", done));
    const [out, error] = await Promise.all([text(process_.stdout), text(process_.stderr)]);
    return { code: await exit, out, error };
  }

  it("deploys a package with the key from standard input", async () => {
    const result = await script([platform.root, "--yes", "--package", join(folder, "package.zip")]);
    expect(result).toMatchObject({ code: 0, error: "" });
    expect(result.out).toContain("Integration attack_path_analysis: version 1 will be installed.");
    expect(result.out).toContain("Done.");
    expect(platform.violations).toEqual([]);
    expect(platform.integrations).toHaveLength(1);
    expect(platform.rules).toEqual([]);
  });

  it.each([
    [[], 0],
    [["--skip", "family"], 1],
    [["--only", "package,grouping"], 1],
    [["--grouping", "source-domain"], 1],
  ])("leaves the rest of the project alone with --package, unless it is asked for: %j", async (options, rules) => {
    const result = await command([platform.root, "--yes", "--package", join(folder, "package.zip"), ...options]);
    expect(result).toMatchObject({ code: 0, error: "" });
    expect(platform.integrations).toHaveLength(1);
    expect(platform.rules).toHaveLength(rules);
    expect(platform.playbooks.size).toBe(options[0] === "--skip" ? 1 : 0);
  });

  it.each([
    ["with Node.js", [], true],
    ["without Node.js with --agent", ["--agent"], false],
  ])("takes the package %s", async (_, options, expected) => {
    const result = await command([platform.root, "--yes", ...options]);
    expect(result).toMatchObject({ code: 0, error: "" });
    expect(platform.integrations[0]!.files.some(({ path }) => path === NODE_WHEEL)).toBe(expected);
  });

  it("offers both grouping rules and explains them", async () => {
    const { out } = await command(["--help"]);
    for (const file of groupingRules.keys()) expect(out).toContain(basename(file, ".json"));
    expect(out).toContain("time frame (0.5 to 24 hours)");
    await command([platform.root, "--yes", "--grouping", "source-grouping-identifier"]);
    expect(platform.rules).toMatchObject([{ groupingType: "SourceGroupingIdentifier" }]);
  });

  it("shows what would change with --dry-run", async () => {
    const result = await command([platform.root, "--dry-run", "--package", join(folder, "package.zip")]);
    expect(result.code).toBe(0);
    expect(result.out).toContain("Nothing was changed (--dry-run).");
    expect(platform.integrations).toEqual([]);
  });

  it.each([
    [["--package", "nowhere.zip", "--yes"], KEY, 'nowhere.zip cannot be read. Run "npm run package" first.'],
    [["--package", "package.json", "--yes"], KEY, "package.json cannot be read as a zip"],
  ])("says in one line what is wrong (%j)", async (options, key, expected) => {
    const { code, out, error } = await command([platform.root, ...options], key);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(error).toContain(expected);
    expect(error.trim().split("\n")).toHaveLength(1);
    expect(platform.requests).toEqual([]);
  });

  it("wants to know whether it may change anything when nobody can be asked", async () => {
    const { code, error } = await command([platform.root, "--package", join(folder, "package.zip")]);
    expect(code).toBe(1);
    expect(error).toContain("Add --yes or --dry-run");
    expect(platform.requests).toEqual([]);
  });

  it("sends nothing without a key", async () => {
    const { code, error } = await command([platform.root, "--yes", "--package", join(folder, "package.zip")], "\n");
    expect(code).toBe(1);
    expect(error).toContain("No API key was given.");
    expect(platform.requests).toEqual([]);
  });

  it("takes only the steps that are asked for, and reads no more than they need", async () => {
    const nothing = temporaryFolder();
    const { code, error } = await command([platform.root, "--yes", "--only", "grouping, family", "--out", nothing]);
    expect({ code, error }).toEqual({ code: 0, error: "" });
    expect(platform.rules).toHaveLength(1);
    expect(platform.integrations).toEqual([]);
    expect(platform.playbooks.size).toBe(0);
  });

  it("leaves out the steps that shall be skipped", async () => {
    expect(await command([platform.root, "--yes", "--skip", "playbook,grouping"])).toMatchObject({ code: 0 });
    expect(platform.integrations).toHaveLength(1);
    expect(platform.rules).toEqual([]);
    expect(platform.playbooks.size).toBe(0);
  });

  it.each([
    [["--only", "packages"], "Enter a comma-separated list of package, family, grouping, playbook."],
    [["--only", "package", "--skip", "family"], "cannot be used with"],
    [["--restore", "x", "--package", "y"], "cannot be used with"],
    [
      ["--package", "y", "--skip", "package"],
      "--package is about the step package, which --only or --skip leaves out.",
    ],
    [["--grouping", "source-domain", "--only", "family"], "--grouping is about the step grouping, which"],
    [["--restore", "nowhere"], "nowhere holds no backup: it has no file backup.json."],
  ])("says what is wrong with %j", async (options, expected) => {
    const { code, error } = await command([platform.root, "--yes", ...options]);
    expect(code).toBe(1);
    expect(error).toContain(expected);
    expect(platform.requests).toEqual([]);
  });

  it("exits with 1 when a step failed", async () => {
    platform.answers.set(`POST ${RULES}`, { status: 500 });
    const { code, error } = await command([platform.root, "--yes"]);
    expect(code).toBe(1);
    expect(error).toMatch(/^grouping: Could not create .*\nNot done: grouping\./);
    expect(platform.playbooks.size).toBe(1);
  });

  it("puts back what it has replaced, on the platform that it comes from", async () => {
    await command([platform.root, "--yes", "--grouping", "source-grouping-identifier"]);
    const { out } = await command([platform.root, "--yes", "--grouping", "source-domain"]);
    const saved = /--restore (\S+) puts it back/.exec(out)![1]!;
    const elsewhere = await startPlatform();
    const refused = await command([elsewhere.root, "--yes", "--restore", saved]);
    expect(refused.code).toBe(1);
    expect(refused.error).toContain(`was saved on ${platform.root}. Enter that address.`);
    const restored = await command([platform.root, "--yes", "--restore", saved]);
    expect(restored).toMatchObject({ code: 0, error: "" });
    expect(restored.out).toMatch(/\nDone\.\n$/);
    expect(platform.rules).toMatchObject([{ groupingType: "SourceGroupingIdentifier" }]);
  });
});

describe("the terminal", () => {
  function terminal(): { input: PassThrough & { isTTY: boolean }; output: PassThrough; shown: () => string } {
    const output = new PassThrough();
    let shown = "";
    output.on("data", (chunk: Buffer) => (shown += chunk.toString()));
    return { input: Object.assign(new PassThrough(), { isTTY: true }), output, shown: () => shown };
  }

  const readKey = async (given: Terminal) => (await readAccess(parseTarget("soar.example.com"), given, {})).secret();

  it("takes the key without showing it", async () => {
    const { input, output, shown } = terminal();
    const key = readKey({ input, output });
    input.write(`${KEY}\r`);
    expect((await key).reveal()).toBe(KEY);
    expect(shown()).toBe("API key (not shown): \n");
  });

  it("stops at Ctrl+C", async () => {
    const { input, output } = terminal();
    const key = readKey({ input, output });
    input.write("\u0003");
    await expect(key).rejects.toThrow("Stopped. Nothing was changed.");
  });

  it("refuses a key that cannot stand in a header", async () => {
    const { input, output } = terminal();
    const key = readKey({ input, output });
    input.write("two words\r");
    await expect(key).rejects.toThrow("Copy it again");
  });

  it.each([
    ["y", true],
    ["YES", true],
    ["", false],
    ["n", false],
    ["yesterday", false],
  ])("reads %j as %j", async (typed, expected) => {
    const { input, output } = terminal();
    const answer = confirm({ input, output }, "Continue?");
    input.write(`${typed}\n`);
    expect(await answer).toBe(expected);
  });
});

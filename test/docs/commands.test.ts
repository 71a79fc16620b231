import { beforeAll, describe, expect, it } from "@jest/globals";
import { execFile } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { bundledScripts } from "../support/bundled-script.ts";
import { rootDir } from "../support/package.ts";
import { coveredBy, shortForms } from "./coverage.ts";
import { blocksOf, readDocuments } from "./documents.ts";

const documents = await readDocuments();
const { scripts } = JSON.parse(readFileSync(join(rootDir, "package.json"), "utf8")) as {
  scripts: Record<string, string>;
};

/** A command of this project, as an `sh` block shows it. */
interface Command {
  document: string;
  text: string;
  /** Name in package.json; null for what is not an npm script. */
  script: string | null;
  /** What stands behind `--`. */
  args: string[];
}

const commands = documents
  .flatMap(blocksOf)
  .filter(({ kind }) => kind === "sh")
  .flatMap(({ document, lines }) => lines.flatMap((line) => parse(document, line)));

function parse(document: string, line: string): Command[] {
  const code = line.replace(/(^|\s+)#\s.*$/, "");
  const texts = code.split("&&").map((part) => part.trim());
  return texts.filter((text) => text !== "").map((text) => command(document, text));
}

function command(document: string, text: string): Command {
  const [, name, rest = ""] = /^npm (?:run (?:-s |--silent )?)?(\S+)(?: -- (.*))?$/.exec(text) ?? [];
  const script = name === undefined || name === "ci" ? null : name;
  return { document, text, script, args: rest.split(/\s+/).filter(Boolean) };
}

/** Options up to the first word that is no option's value: behind it begins the command of somebody else. */
function optionsOf({ script, args }: Command): string[] {
  const own =
    script === "conformance"
      ? args.slice(
          0,
          Math.max(
            0,
            args.findIndex((arg) => !arg.startsWith("-")),
          ),
        )
      : args;
  return own.filter((arg) => arg.startsWith("-")).map((arg) => arg.split("=")[0] ?? "");
}

const run = promisify(execFile);

/** The program of a script; null when it takes no options. */
function programOf(script: string): string | null {
  const file = /\S+\.ts$/.exec(scripts[script] ?? "")?.[0];
  return file !== undefined && /parse\(|process\.argv/.test(readFileSync(join(rootDir, file), "utf8")) ? file : null;
}

/** The options that a program explains. */
async function explainedBy(program: string): Promise<string[]> {
  const { stdout } = await run(process.execPath, [program, "--help"], { cwd: rootDir });
  return [...stdout.matchAll(/(?:^|\s)(--?[a-z][a-z-]*)/g)].map(([, option = ""]) => option);
}

describe("the commands in the documents", () => {
  it("are npm scripts, or programs of this project", () => {
    expect(commands.length).toBeGreaterThan(20);
    const program = (text: string): boolean =>
      // test/cli runs each.
      text.startsWith("npx attack-path-analysis ") ||
      existsSync(join(rootDir, /^node (\S+)/.exec(text)?.[1] ?? "missing"));
    const unknown = commands.filter(({ text, script }) =>
      script === null ? text !== "npm ci" && !program(text) : !(script in scripts),
    );
    expect(unknown).toEqual([]);
  });

  const used = [
    ...new Set(commands.filter(({ args, script }) => script !== null && script !== "test:only" && args.length > 0)),
  ];
  const names = [...new Set(used.map(({ script }) => script ?? ""))];
  /** The programs by script. */
  const bundled = new Map<string, string>();
  beforeAll(async () => {
    const files = [...new Set(names.flatMap((name) => programOf(name) ?? []))];
    const paths = await bundledScripts(files);
    for (const name of names) {
      const path = paths[files.indexOf(programOf(name) ?? "")];
      if (path !== undefined) bundled.set(name, path);
    }
  });

  it.each(names)("give npm run %s options that it explains", async (script) => {
    const program = bundled.get(script);
    const options = program === undefined ? [] : await explainedBy(program);
    const unknown = used.filter(
      (one) => one.script === script && optionsOf(one).some((option) => !options.includes(option)),
    );
    expect(options).toContain("--help");
    expect(unknown).toEqual([]);
  });

  it("name tests that exist", () => {
    const paths = commands.filter(({ script }) => script === "test:only").flatMap(({ args }) => args);
    expect(paths.length).toBeGreaterThan(0);
    expect(paths.filter((path) => !existsSync(join(rootDir, path)))).toEqual([]);
  });

  const named = documents.flatMap(({ path, text }) =>
    [...text.matchAll(/`(?:[A-Z_]+=\S+ )?npm (?:run )?(?:-s |--silent )?([a-z0-9:-]+)/g)].map(([, script = ""]) => ({
      path,
      script,
    })),
  );

  it("in running text are npm scripts, too", () => {
    expect(named.length).toBeGreaterThan(20);
    expect(
      named.filter(({ script }) => !(script in scripts) && !["ci", "audit", "pack", "install"].includes(script)),
    ).toEqual([]);
  });

  it("are each run by a test", () => {
    const documented = new Set([...commands, ...named].flatMap(({ script }) => (script === null ? [] : [script])));
    const listed = [...Object.keys(coveredBy), ...Object.keys(shortForms)];
    expect(listed.sort()).toEqual([...documented].filter((script) => script in scripts).sort());
    expect(Object.values(coveredBy).filter((file) => !existsSync(join(rootDir, file)))).toEqual([]);
  });
});

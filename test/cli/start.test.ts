import { beforeAll, describe, expect, it } from "@jest/globals";
import { commands } from "../../src/cli/main.ts";
import { bundleCommandLine, type Bundle } from "../../src/packaging/bundle.ts";
import { rootDir } from "../support/package.ts";

const PROGRAM = "scripts/cli.ts";
/** Of commander, this program and the declaration of one command together. */
const MOST_KILOBYTES = 100;

interface Loaded {
  /** Our own files. */
  sources: string[];
  packages: string[];
  kilobytes: number;
}

describe("the start of the command line", () => {
  let outputs: Bundle["outputs"];
  beforeAll(async () => {
    ({ outputs } = await bundleCommandLine(rootDir));
  });

  /** What Node loads before it can run these files, which are loaded one after the other. */
  function loadedFor(...entries: string[]): Loaded {
    const all = Object.entries(outputs);
    const files = entries.map((entry) => all.find(([, { entryPoint }]) => entryPoint === entry)![0]);
    // A set visits what is added while it is visited.
    const loaded = new Set(files);
    for (const file of loaded) {
      for (const { path, kind } of outputs[file]!.imports) {
        if (kind === "import-statement" && Object.hasOwn(outputs, path)) loaded.add(path);
      }
    }
    const inside = [...loaded].flatMap((file) => Object.keys(outputs[file]!.inputs));
    const packages = inside.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(path)?.[1] ?? []);
    return {
      sources: inside.filter((path) => !path.includes("node_modules")),
      packages: [...new Set(packages)].sort(),
      kilobytes: [...loaded].reduce((sum, file) => sum + outputs[file]!.bytes, 0) / 1024,
    };
  }

  it("prints the help of the program without any command", () => {
    const { sources, packages, kilobytes } = loadedFor(PROGRAM);
    expect(packages).toEqual(["commander"]);
    expect(sources.filter((path) => /^src\/cli\/(commands|handlers)\//.test(path))).toEqual([]);
    expect(kilobytes).toBeLessThan(MOST_KILOBYTES);
  });

  it.each(commands.map(({ name }) => name))("prints the help of %s without what the command needs to run", (name) => {
    const { sources, packages, kilobytes } = loadedFor(PROGRAM, `src/cli/commands/${name}.ts`);
    expect(packages).toEqual(["commander"]);
    expect(sources.filter((path) => /^src\/(cli\/handlers|generated|ingestion|investigation)\//.test(path))).toEqual(
      [],
    );
    expect(kilobytes).toBeLessThan(MOST_KILOBYTES);
  });

  it("answers an assistant before it loads what asks the service, writes logs or computes dates", () => {
    const { packages, kilobytes } = loadedFor(PROGRAM, "src/cli/commands/mcp.ts", "src/cli/handlers/mcp.ts");
    expect(packages).toEqual(["@modelcontextprotocol/sdk", "commander", "zod", "zod-to-json-schema"]);
    expect(kilobytes).toBeLessThan(400);
  });
});

import { execFile } from "node:child_process";
import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, it } from "@jest/globals";
import { rootDir } from "../support/package.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);

const action = {
  name: "List Environments",
  entry: "actions/list-environments.ts",
  description: "Lists the environments that the token can see.",
  parameters: [
    {
      name: "Only Collected",
      type: "boolean",
      description: "Leaves out environments without collected data.",
      mandatory: false,
      secret: false,
      default: true,
    },
  ],
  result: {
    value: "true when at least one environment was listed",
    schema: {
      type: "object",
      additionalProperties: false,
      required: ["environments"],
      properties: {
        environments: {
          type: "array",
          description: "The environments.",
          items: {
            type: "object",
            additionalProperties: false,
            required: ["id", "name"],
            properties: {
              id: { type: "string", description: "Id of the environment." },
              name: { type: ["string", "null"], description: "Its name." },
            },
          },
        },
      },
    },
  },
};

const actionBody = `import { openService } from "../src/connection.ts";
import { defineAction } from "../src/runtime/modules.ts";

export default defineAction("List Environments", async ({ parameters, ...context }) => {
  const onlyCollected = parameters["Only Collected"];
  const service = openService(context, context.instance);
  try {
    const list = await service.environments.list();
    const environments = list.environments
      .filter(({ collected }) => collected === true || !onlyCollected)
      .map(({ id, name }) => ({ id, name: name ?? null }));
    const message = \`Listed \${environments.length} environments.\`;
    return { status: "completed", message, value: environments.length > 0, json: { environments } };
  } finally {
    service.close();
  }
});
`;

const actionTest = `import { expect, it } from "@jest/globals";
import { TestHost } from "../support/host.ts";
import { startTenant } from "../support/tenant.ts";

it("lists the environments with collected data, or all of them", async () => {
  const tenant = await startTenant();
  const host = new TestHost(tenant);
  const countOf = async (onlyCollected: boolean): Promise<unknown> => {
    const { result } = await host.act({ name: "List Environments", parameters: { "Only Collected": onlyCollected } });
    return (result.json?.["environments"] as unknown[]).length;
  };
  const { environments } = tenant.data;
  expect(await countOf(false)).toBe(environments.length);
  expect(await countOf(true)).toBe(environments.filter(({ collected }) => collected).length);
});
`;

const field = {
  name: "Excluded Finding Types",
  type: "list",
  description: "Finding types to leave out, exactly as the service writes them.",
  mandatory: false,
  secret: false,
  default: null,
  selects: true,
};

/** The one line that changes in `src/ingestion/selection.ts`. */
const fieldUse = {
  before: "const distinct = [...new Set(available)].sort();",
  after: `const excluded = this.#criteria["Excluded Finding Types"] ?? [];
    const distinct = [...new Set(available)].filter((type) => !excluded.includes(type)).sort();`,
};

/** The one line that `test/ingestion/changed-selection.test.ts` gets. */
const fieldCase = {
  before: "  } satisfies Record<CriterionName,",
  after: `    "Excluded Finding Types": fc.constantFrom(["A"], []),
  } satisfies Record<CriterionName,`,
};

const fieldTest = `import { expect, it } from "@jest/globals";
import { movableClock } from "../support/fake-clock.ts";
import { TestHost } from "../support/host.ts";
import { firstStream, startTenant } from "../support/tenant.ts";

it("leaves out excluded finding types, and reads them once they are not excluded any more, although polls skip by then", async () => {
  const clock = movableClock();
  const dataset = { environments: 1, findingTypes: 2, findingsPerPair: 3 };
  const tenant = await startTenant({ dataset, clock, analysisStatus: true });
  const host = new TestHost(tenant, { clock });
  const poll = async (fields = {}): Promise<[number, string]> => {
    clock.moveOn(60_000);
    const { delivered, message } = await host.poll({ fields });
    return [delivered, message];
  };
  const excluding = { "Excluded Finding Types": firstStream(tenant).findingType };
  expect((await poll(excluding))[0]).toBe(3);
  await poll(excluding);
  expect(await poll(excluding)).toEqual([0, expect.stringContaining("without a new analysis")]);
  expect((await poll())[0]).toBe(3);
});
`;

const formatBody = `import type { FindingRecord } from "./finding-record.ts";

/** One finding as a line of logfmt (https://brandur.org/logfmt). */
export function logfmtLine({ change, severity, findingType, target }: FindingRecord): string {
  const ends = \`finding=\${JSON.stringify(findingType)} target=\${JSON.stringify(target?.name ?? "")}\`;
  return \`change=\${change} severity=\${severity} \${ends}\`;
}
`;

/** The line that `src/output/formats.ts` gets. */
const formatDeclaration =
  '  logfmt: { line: "a line of logfmt", load: async () => (await import("./logfmt.ts")).logfmtLine },';

const formatTest = `import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { askHere } from "../support/command-line.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startTenant } from "../support/tenant.ts";

it.each([["findings"], ["poll", "--state", join(temporaryFolder(), "state.json")]])("%s writes logfmt", async (...args) => {
  const tenant = await startTenant({ dataset: { environments: 1, findingTypes: 1, findingsPerPair: 3 } });
  const { code, out } = await askHere(tenant, [...args, "--format", "logfmt"]);
  const line = /^change=created severity=[a-z]+ finding="[^"]+" target="[^"]+"$/;
  expect([code, out.trimEnd().split("\\n")]).toEqual([0, Array.from({ length: 3 }, () => expect.stringMatching(line))]);
});
`;

const JEST = "node_modules/jest/bin/jest.js";

/** The new tests, and the suites that go through all actions, all fields or all criteria. */
const suites = [
  "test/actions/list-environments.test.ts",
  "test/codegen/reference.test.ts",
  "test/connectors/excluded-finding-types.test.ts",
  "test/cli/start.test.ts",
  "test/ingestion/(selection|changed-selection).test.ts",
  "test/manifest",
  "test/output/logfmt.test.ts",
  "test/package/portable.test.ts",
  "test/packaging/n8n.test.ts",
  "test/packaging/google-secops/(package|examples|release-notes).test.ts",
  "test/runtime/(request|run).test.ts",
];

/** The suites whose snapshots name all actions or all formats. */
const snapshots = ["test/cli/program.test.ts", "test/cli/mcp/mcp.test.ts"];

describe("the steps to add an action, a connector field and an output format", () => {
  const copy = temporaryFolder();
  const path = (file: string): string => join(copy, file);
  const node = async (...args: string[]): Promise<void> => {
    try {
      await run(process.execPath, args, { cwd: copy, maxBuffer: 2 ** 26 });
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`node ${args.join(" ")} failed:\n${stdout}\n${stderr}`, { cause: error });
    }
  };
  const script = (name: string): Promise<void> => node("node_modules/tsx/dist/cli.mjs", `scripts/${name}.ts`);
  const change = async (file: string, changed: (text: string) => string): Promise<void> => {
    const before = await readFile(path(file), "utf8");
    const after = changed(before);
    if (after === before) throw new Error(`Nothing to change in ${file}.`);
    await writeFile(path(file), after);
  };

  beforeAll(async () => {
    const left = /^(node_modules|dist|coverage|\.git|\.sandbox)(\/|$)/;
    await cp(rootDir, copy, { recursive: true, filter: (source) => !left.test(relative(rootDir, source)) });
    await symlink(join(rootDir, "node_modules"), path("node_modules"), "dir");
    await change("integration.json", (text) => {
      const manifest = JSON.parse(text) as { actions: unknown[]; connectors: [{ fields: unknown[] }] };
      manifest.actions.push(action);
      manifest.connectors[0].fields.push(field);
      return JSON.stringify(manifest, null, 2);
    });
    await writeFile(path(action.entry), actionBody);
    await writeFile(path("test/actions/list-environments.test.ts"), actionTest);
    await change("src/ingestion/selection.ts", (text) => text.replace(fieldUse.before, fieldUse.after));
    await writeFile(path("test/connectors/excluded-finding-types.test.ts"), fieldTest);
    await writeFile(path("src/output/logfmt.ts"), formatBody);
    await writeFile(path("test/output/logfmt.test.ts"), formatTest);
    await change("src/output/formats.ts", (text) => text.replace("\n} as const", `\n${formatDeclaration}\n} as const`));
    await change("test/ingestion/changed-selection.test.ts", (text) => text.replace(fieldCase.before, fieldCase.after));
    await change("CHANGELOG.md", (text) => {
      const [before, ...releases] = text.split("\n- ");
      return [before, "The action List Environments.", ...releases].join("\n- ");
    });
    await script("generate");
  }, 60_000);

  it("take one declaration, one use and one test each, and everything that goes through all of them takes them in", async () => {
    const tested = async (): Promise<void> => {
      await Promise.all([script("validate"), script("reference")]);
      await node("--experimental-vm-modules", "--no-warnings", JEST, ...suites, "-w", "2");
      await node("--experimental-vm-modules", "--no-warnings", JEST, "-u", ...snapshots, "-w", "2");
    };
    await Promise.all([node("node_modules/typescript-7/bin/tsc", "--noEmit"), tested()]);
  }, 300_000);
});

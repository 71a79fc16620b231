import { execFile } from "node:child_process";
import { cp, readFile, symlink, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import { promisify } from "node:util";
import { beforeAll, describe, it } from "@jest/globals";
import { rootDir } from "../support/package.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const run = promisify(execFile);

const declaration = {
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

const body = `import { openService } from "../src/connection.ts";
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

const test = `import { expect, it } from "@jest/globals";
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

/** The suites that go through all actions. */
const suites = [
  "test/actions/list-environments.test.ts",
  "test/manifest",
  "test/runtime",
  "test/codegen",
  "test/packaging",
];

describe("the steps to add an action", () => {
  const copy = temporaryFolder();
  const npm = async (script: string, ...args: string[]): Promise<void> => {
    try {
      await run("npm", ["run", script, "--", ...args], { cwd: copy, maxBuffer: 2 ** 26 });
    } catch (error) {
      const { stdout, stderr } = error as { stdout: string; stderr: string };
      throw new Error(`npm run ${script} failed:\n${stdout}\n${stderr}`, { cause: error });
    }
  };

  beforeAll(async () => {
    const left = /^(node_modules|dist|coverage|\.git|\.sandbox)(\/|$)/;
    await cp(rootDir, copy, { recursive: true, filter: (source) => !left.test(relative(rootDir, source)) });
    await symlink(join(rootDir, "node_modules"), join(copy, "node_modules"), "dir");
    const manifest = JSON.parse(await readFile(join(copy, "integration.json"), "utf8")) as { actions: unknown[] };
    manifest.actions.push(declaration);
    await writeFile(join(copy, "integration.json"), JSON.stringify(manifest, null, 2));
    await writeFile(join(copy, declaration.entry), body);
    await writeFile(join(copy, "test/actions/list-environments.test.ts"), test);
    const changelog = await readFile(join(copy, "CHANGELOG.md"), "utf8");
    const [before, ...releases] = changelog.split("\n- ");
    await writeFile(join(copy, "CHANGELOG.md"), [before, "The action List Environments.", ...releases].join("\n- "));
  }, 60_000);

  it("take one declaration, one body and one test, and everything that goes through all actions takes it in", async () => {
    await npm("typecheck");
    await npm("validate");
    await npm("reference");
    await npm("test:only", ...suites, "-w", "2");
  }, 300_000);
});

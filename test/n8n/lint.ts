import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { cp, mkdir, mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { promisify } from "node:util";
import { installLint } from "./install.ts";
import { rootDir, type Trial } from "./trial.ts";

const run = promisify(execFile);

/** Each is explained in README.md, in this folder. */
const EXPLAINED = new Set(
  ["no-restricted-globals", "no-restricted-imports", "valid-author"].map((rule) => `@n8n/community-nodes/${rule}`),
);

/** The rules know a file by the name that n8n suggests. */
const SUGGESTED = {
  "node.ts": "nodes/AttackPathAnalysis/AttackPathAnalysis.node.ts",
  "trigger.ts": "nodes/AttackPathAnalysis/AttackPathAnalysisTrigger.node.ts",
  "credential.ts": "credentials/AttackPathAnalysisApi.credentials.ts",
};

const CONFIG = `
import { n8nCommunityNodesPlugin } from "@n8n/eslint-plugin-community-nodes";
import { parser } from "typescript-eslint";
const files = ["**/*.js", "**/*.ts", "**/package.json"];
export default [{ ...n8nCommunityNodesPlugin.configs.recommended, files, languageOptions: { parser } }];
`;

/** Runs n8n's own lint on the package as it is, and on the sources of its nodes. */
export async function tryLint({ cache, installed, tarball, say }: Trial & { cache: string }): Promise<void> {
  const folder = await installLint(cache, installed);
  await writeFile(join(folder, "eslint.config.mjs"), CONFIG);
  const checked = await mkdtemp(join(folder, "checked-"));
  try {
    await run("tar", ["-xzf", tarball, "-C", checked, "--strip-components=1"]);
    await addSources(checked);
    const counts = await complaints(folder, basename(checked));
    say(`n8n's lint complains about ${[...counts].map(([rule, count]) => `${rule} (${count})`).join(", ")}.`);
    assert.deepEqual(
      [...counts.keys()].filter((rule) => !EXPLAINED.has(rule)),
      [],
    );
    assert(counts.has("@n8n/community-nodes/valid-author"), "the lint does not look at the package");
  } finally {
    await rm(checked, { recursive: true });
  }
}

async function addSources(folder: string): Promise<void> {
  const nodes = join(folder, "nodes/AttackPathAnalysis");
  await cp(join(rootDir, "src/packaging/n8n/node"), nodes, { recursive: true });
  for (const [name, path] of Object.entries(SUGGESTED)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await rename(join(nodes, name), join(folder, path));
  }
}

/** How often each rule complains. */
async function complaints(folder: string, checked: string): Promise<Map<string, number>> {
  const args = ["node_modules/eslint/bin/eslint.js", "--no-inline-config", "--format", "json", checked];
  const options = { cwd: folder, maxBuffer: 64 * 1024 * 1024 };
  // ESLint ends with 1 when there are complaints.
  const { stdout } = await run(process.execPath, args, options).catch((error: unknown) => error as { stdout: string });
  const results = JSON.parse(stdout) as { messages: { ruleId: string | null; message: string }[] }[];
  const counts = new Map<string, number>();
  for (const { ruleId, message } of results.flatMap(({ messages }) => messages)) {
    const rule = ruleId ?? message;
    counts.set(rule, (counts.get(rule) ?? 0) + 1);
  }
  return counts;
}

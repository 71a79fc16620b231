import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { tracesIn } from "../support/canary.ts";
import type { N8nInstance } from "./instance.ts";

const EXPORTS = [
  { name: "credentials.json", args: ["export:credentials", "--all"] },
  { name: "workflows.json", args: ["export:workflow", "--all"] },
];

/** Texts that n8n has written, by what they are. */
export type Written = ReadonlyMap<string, string | Buffer>;

/** Everything that instances have written outside of a database server: files, logs, and what they export. */
export async function writtenBy(instances: readonly N8nInstance[]): Promise<Map<string, string | Buffer>> {
  const written = new Map<string, string | Buffer>();
  for (const [index, instance] of instances.entries()) {
    const name = `instance ${index + 1}`;
    if (index === 0) await addExports(instance, written);
    written.set(`log of ${name}`, instance.log);
    const files = await readdir(instance.folder, { recursive: true, withFileTypes: true });
    for (const file of files.filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))) {
      const path = join(file.parentPath, file.name);
      written.set(`${name}: ${path.slice(instance.folder.length)}`, await readFile(path));
    }
  }
  return written;
}

async function addExports(instance: N8nInstance, written: Map<string, string | Buffer>): Promise<void> {
  for (const { name, args } of EXPORTS) {
    const path = join(instance.folder, name);
    await instance.command(...args, `--output=${path}`);
    written.set(name, await readFile(path));
  }
}

/** @throws AssertionError when something holds the canary in any form */
export function assertNoCanary(written: Written): void {
  for (const [name, content] of written) {
    assert(content.length > 0 || !name.startsWith("log"), `${name} is empty`);
    assert.deepEqual(tracesIn(content), [], `The token key is in ${name}`);
  }
}

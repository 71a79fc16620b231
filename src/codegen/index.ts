import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { replaceFile } from "../packaging/files.ts";
import { validatorFiles } from "./record-types.ts";

const STAMP = "inputs.sha256";

/** Folders and the names of the files in them that the generated files are made from. */
const inputFolders: readonly (readonly [string, RegExp])[] = [
  ["src/manifest", /\.(ts|json)$/],
  ["src/service", /(\.records|nullables)\.ts$/],
  ["src/ingestion/state", /^state\.ts$/],
  ["src/follow-up/state", /^state\.ts$/],
  ["src/runtime", /^protocol\.ts$/],
  ["src/investigation/objects", /^found-object\.ts$/],
  ["src/codegen", /\.(ts|json)$/],
];

/**
 * Brings `src/generated` up to date: the manifest as a literal and the validators of the service's records and of the state.
 * Returns false when the inputs have not changed since the last time and nothing was written.
 */
export async function generate(rootDir: string): Promise<boolean> {
  const outDir = join(rootDir, "src", "generated");
  const hash = await hashInputs(rootDir);
  if ((await readStamp(outDir)) === hash) return false;
  const [{ generateManifest }, { generateValidators }, { generateOwnValidators }] = await Promise.all([
    import("./manifest.ts"),
    import("./validators.ts"),
    import("./own-validators.ts"),
  ]);
  await generateManifest(rootDir, outDir);
  await generateValidators(rootDir, outDir);
  await generateOwnValidators(rootDir, outDir);
  await replaceFile(join(outDir, STAMP), hash);
  return true;
}

/** Hash over everything that the generated files are made from, the generators themselves included. */
async function hashInputs(rootDir: string): Promise<string> {
  const files = ["integration.json", "package-lock.json", "tsconfig.json"];
  for (const [folder, pattern] of inputFolders) {
    for (const name of await readdir(join(rootDir, folder), { recursive: true })) {
      if (pattern.test(name)) files.push(`${folder}/${name}`);
    }
  }
  const contents = await Promise.all(files.sort().map((file) => readFile(join(rootDir, file))));
  const hash = createHash("sha256");
  files.forEach((file, index) => {
    const content = contents[index] ?? Buffer.alloc(0);
    hash.update(`${file}\0${content.length}\0`).update(content);
  });
  return hash.digest("hex");
}

/** The inputs' hash of the last complete generation; null when a generated file is missing. */
async function readStamp(outDir: string): Promise<string | null> {
  try {
    const [stamp] = await Promise.all(
      [STAMP, "manifest.ts", "modules.ts", ...validatorFiles].map((name) => readFile(join(outDir, name), "utf8")),
    );
    return stamp ?? null;
  } catch {
    return null;
  }
}

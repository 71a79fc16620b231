import { createHash } from "node:crypto";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { PackageFile } from "./target.ts";

/** SHA-256 in hexadecimal. */
export function sha256(content: string | Uint8Array): string {
  return createHash("sha256").update(content).digest("hex");
}

/** The files with a `SHA256SUMS` over all of them, as `sha256sum --check` reads it. */
export function withChecksums(files: readonly PackageFile[]): PackageFile[] {
  return [...files, { path: "SHA256SUMS", content: checksums(files) }];
}

/** A line for each file, sorted by path, as `sha256sum` writes it. */
export function checksums(files: readonly PackageFile[]): string {
  const lines = [...files]
    .sort((a, b) => (a.path < b.path ? -1 : 1))
    .map((file) => `${sha256(file.content)}  ${file.path}\n`);
  return lines.join("");
}

/** Writes a file and its folder. A reader sees the old file or the new one, never half of it. */
export async function replaceFile(file: string, content: string | Uint8Array): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  const partial = `${file}.${process.pid}.partial`;
  await writeFile(partial, content);
  await rename(partial, file);
}

/** Writes a folder that holds these files and nothing else, with paths relative to it. */
export async function replaceFolder(folder: string, files: readonly PackageFile[]): Promise<void> {
  const partial = `${folder}.${process.pid}.partial`;
  for (const { path, content } of files) {
    await mkdir(dirname(join(partial, path)), { recursive: true });
    await writeFile(join(partial, path), content);
  }
  await rm(folder, { recursive: true, force: true });
  await rename(partial, folder);
}

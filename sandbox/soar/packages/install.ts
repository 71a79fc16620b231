import { randomBytes } from "node:crypto";
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { loadManifest } from "../../../src/manifest/load.ts";
import type { Manifest } from "../../../src/manifest/manifest.ts";
import { readProject } from "../../../src/manifest/project.ts";
import { printable } from "../../../src/runtime/printable.ts";
import { sha256 as hash } from "../../../src/packaging/files.ts";
import { PackageRefused, readArchive } from "./archive.ts";
import { messageOf } from "../../../src/text.ts";

/** The program of a package: what the host starts. */
export const PROGRAM = "plugin.mjs";
const MANIFEST = "integration.json";
const CHECKSUMS = "SHA256SUMS";
const MAX_ARCHIVE_BYTES = 128 * 2 ** 20;
const TOO_LARGE = `The archive is larger than ${MAX_ARCHIVE_BYTES} bytes.`;

export interface UnpackedPackage {
  /** `<identifier>-<version>-<first 8 digits of the archive's SHA-256>`; also the name of its folder. */
  id: string;
  /** SHA-256 of the archive, hexadecimal. */
  sha256: string;
  folder: string;
  files: number;
  manifest: Manifest;
}

/** A package that was checked and not unpacked: nothing of it has run. */
export interface CheckedPackage {
  sha256: string;
  manifest: Manifest;
  /** Contents by path. */
  files: Map<string, Buffer>;
}

/** @throws PackageRefused with a sentence that says what is wrong with the archive. */
export async function checkPackage(bytes: Buffer): Promise<CheckedPackage> {
  if (bytes.length > MAX_ARCHIVE_BYTES) throw new PackageRefused(TOO_LARGE);
  const files = await readArchive(bytes);
  checkChecksums(files);
  return { sha256: hash(bytes), manifest: checkManifest(files), files };
}

/**
 * Checks a package and unpacks it below `packages`. The folder appears whole or not at all; the same archive again
 * changes nothing.
 * @param archive its path, or its bytes
 * @throws PackageRefused with a sentence that says what is wrong with the archive.
 */
export async function unpackPackage(archive: string | Buffer, packages: string): Promise<UnpackedPackage> {
  const bytes = typeof archive === "string" ? await readBounded(archive) : archive;
  const { sha256, manifest, files } = await checkPackage(bytes);
  const id = `${manifest.identifier}-${manifest.version}-${sha256.slice(0, 8)}`;
  const folder = join(packages, id);
  if (!(await holds(folder, files))) await unpack(files, folder);
  return { id, sha256, folder, files: files.size, manifest };
}

async function readBounded(archive: string): Promise<Buffer> {
  let size: number;
  try {
    size = (await stat(archive)).size;
  } catch (error) {
    throw new PackageRefused(`The package cannot be read: ${messageOf(error)}.`);
  }
  if (size > MAX_ARCHIVE_BYTES) throw new PackageRefused(TOO_LARGE);
  return readFile(archive);
}

/** Lines of `sha256sum`: the digest, two blanks (or a blank and an asterisk), the path. */
function checkChecksums(files: Map<string, Buffer>): void {
  const list = files.get(CHECKSUMS);
  if (list === undefined)
    throw new PackageRefused(`${CHECKSUMS} is missing, so nothing tells whether the package is whole.`);
  const expected = new Map<string, string>();
  for (const line of list.toString("utf8").split(/\r?\n/).filter(Boolean)) {
    const [, digest, path] = /^([0-9a-f]{64}) [ *](.+)$/.exec(line) ?? [];
    if (digest === undefined || path === undefined) {
      throw new PackageRefused(`${CHECKSUMS} has a line that is no checksum: "${printable(line.slice(0, 80))}".`);
    }
    expected.set(path, digest);
  }
  for (const path of expected.keys()) {
    if (!files.has(path)) throw new PackageRefused(`"${printable(path)}" stands in ${CHECKSUMS} and is missing.`);
  }
  for (const [path, content] of files) {
    if (path === CHECKSUMS) continue;
    const digest = expected.get(path);
    if (digest === undefined) throw new PackageRefused(`"${path}" does not stand in ${CHECKSUMS}.`);
    if (digest !== hash(content)) throw new PackageRefused(`"${path}" differs from its checksum in ${CHECKSUMS}.`);
  }
}

function checkManifest(files: Map<string, Buffer>): Manifest {
  const text = files.get(MANIFEST);
  if (text === undefined) throw new PackageRefused(`${MANIFEST} is missing.`);
  let manifest: Manifest;
  try {
    manifest = loadManifest(text.toString("utf8"));
  } catch (error) {
    throw new PackageRefused(messageOf(error));
  }
  const named = [
    ...manifest.mappings,
    ...manifest.groupingRules,
    ...manifest.playbooks,
    ...manifest.connectors.flatMap((connector) => [...connector.mappings, connector.groupingRule]),
  ];
  for (const path of [PROGRAM, ...named]) {
    if (!files.has(path))
      throw new PackageRefused(`"${path}" is missing${path === PROGRAM ? "" : `, and ${MANIFEST} names it`}.`);
  }
  return manifest;
}

async function holds(folder: string, files: Map<string, Buffer>): Promise<boolean> {
  const present = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => []);
  if (present.filter((item) => !item.isDirectory()).length !== files.size) return false;
  for (const [path, content] of files) {
    const found = await readFile(join(folder, path)).catch(() => null);
    if (found === null || !found.equals(content)) return false;
  }
  return true;
}

async function unpack(files: Map<string, Buffer>, folder: string): Promise<void> {
  const draft = join(dirname(folder), `.draft-${randomBytes(6).toString("hex")}`);
  try {
    for (const [path, content] of files) {
      await mkdir(dirname(join(draft, path)), { recursive: true });
      await writeFile(join(draft, path), content, { flag: "wx" });
    }
    await readProject(draft).catch((error: unknown) => {
      throw new PackageRefused(messageOf(error));
    });
    await rm(folder, { recursive: true, force: true });
    await rename(draft, folder);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

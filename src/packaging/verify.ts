import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { buffer } from "node:stream/consumers";
import yauzl from "yauzl";
import type { ReadableError } from "../runtime/errors.ts";
import { messageOf } from "../text.ts";
import { buildPackages } from "./build.ts";
import { sha256 } from "./files.ts";
import { n8n } from "./n8n/index.ts";
import { npm } from "./npm.ts";
import { portable } from "./portable.ts";
import { filesInTarball } from "./tarball.ts";
import type { Target } from "./target.ts";

/** Why a package cannot be compared. */
export class VerifyError extends Error implements ReadableError {
  override readonly name = "VerifyError";
  readonly readable = true;
}

export interface VerifyOptions {
  /** The project. */
  readonly rootDir: string;
  /** Every kind of package that can be built. */
  readonly targets: readonly Target[];
  /** The packages. */
  readonly paths: readonly string[];
}

/** What became of one package. */
export interface Verification {
  /** As it was given. */
  readonly path: string;
  /** Of the package that was given, in hexadecimal. */
  readonly sha256: string;
  readonly identical: boolean;
  /** One sentence for each file that differs; a file inside a zip in the package is named with both paths. */
  readonly differences: readonly string[];
}

/**
 * Builds packages again from these sources, and compares them byte by byte. Nothing of a package is run, and nothing of it is written to
 * the disk.
 *
 * @throws VerifyError when a package cannot be read, or is none that these sources build
 */
export async function verifyPackages({ rootDir, targets, paths }: VerifyOptions): Promise<Verification[]> {
  const given = await Promise.all(paths.map(async (path) => ({ path, content: await contentOf(path) })));
  const wanted = new Set(paths.map((path) => targetOf(path, targets)));
  const outDir = await mkdtemp(join(tmpdir(), "verify-"));
  try {
    const built = await buildPackages({ rootDir, outDir, targets: [...wanted] });
    const names = built.map((artefact) => basename(artefact.path));
    const verified: Verification[] = [];
    for (const { path, content } of given) {
      const own = built.find((artefact) => basename(artefact.path) === basename(path));
      if (own === undefined) {
        throw new VerifyError(
          `These sources do not build a package named ${basename(path)}, but ${names.join(", ")}. Check out the version of the package, and give the package its original name.`,
        );
      }
      verified.push(await verification(path, content, await readFile(own.path)));
    }
    return verified;
  } finally {
    await rm(outDir, { recursive: true });
  }
}

async function contentOf(path: string): Promise<Buffer> {
  try {
    return await readFile(path);
  } catch (error) {
    throw new VerifyError(`${path} cannot be read (${(error as NodeJS.ErrnoException).code ?? "unknown"}).`);
  }
}

/** The name of a zip ends with its target; that of the portable one does not. n8n asks for a name that begins with its own. */
function targetOf(path: string, targets: readonly Target[]): Target {
  if (path.endsWith(TARBALL)) return basename(path).startsWith(`${n8n.name}-`) ? n8n : npm;
  return targets.find(({ name }) => path.endsWith(`-${name}.zip`)) ?? portable;
}

async function verification(path: string, given: Buffer, built: Buffer): Promise<Verification> {
  const identical = given.equals(built);
  const compare = path.endsWith(TARBALL) ? tarballDifferences : differencesOf;
  const differences = identical ? [] : await compare(given, built, path);
  if (!identical && differences.length === 0)
    differences.push("All files are the same, but they are packed differently, or their times or modes differ.");
  return { path, sha256: sha256(given), identical, differences };
}

/**
 * What differs between two zips, in the order of the paths.
 *
 * @param place - what the first zip is, for messages
 * @throws VerifyError when the first is no zip
 */
export async function differencesOf(given: Buffer, built: Buffer, place: string): Promise<string[]> {
  const [ours, theirs] = [await Zip.open(built, "the new build"), await Zip.open(given, place)];
  const paths = [...new Set([...ours.entries.keys(), ...theirs.entries.keys()])].sort();
  const found = theirs.repeated.map((path) => `${path}: it is in the package more than once.`);
  for (const path of paths) {
    const [mine, other] = [ours.entries.get(path), theirs.entries.get(path)];
    if (other === undefined) found.push(`${path}: it is missing in the package.`);
    else if (mine === undefined) found.push(`${path}: it is only in the package.`);
    else found.push(...(await entryDifferences(path, [ours, mine], [theirs, other])));
  }
  return found;
}

const TARBALL = ".tgz";

/**
 * What differs between two tarballs, in the order of the paths.
 *
 * @throws VerifyError when the first is no tarball of files
 */
export function tarballDifferences(given: Buffer, built: Buffer, place: string): string[] {
  const ours = new Map(filesInTarball(built).map(({ path, content }) => [path, content]));
  const theirs = new Map<string, Buffer>();
  const found: string[] = [];
  for (const { path, content } of readTarball(given, place)) {
    if (theirs.has(path)) found.push(`${path}: it is in the package more than once.`);
    theirs.set(path, content);
  }
  for (const path of [...new Set([...ours.keys(), ...theirs.keys()])].sort()) {
    const [mine, other] = [ours.get(path), theirs.get(path)];
    if (other === undefined) found.push(`${path}: it is missing in the package.`);
    else if (mine === undefined) found.push(`${path}: it is only in the package.`);
    else if (!other.equals(mine)) found.push(`${path}: it differs.`);
  }
  return found;
}

function readTarball(packed: Buffer, place: string): { path: string; content: Buffer }[] {
  try {
    return filesInTarball(packed);
  } catch (error) {
    throw new VerifyError(`${place} cannot be read as a tarball (${messageOf(error)}).`);
  }
}

type PlacedEntry = readonly [zip: Zip, entry: yauzl.Entry];

async function entryDifferences(
  path: string,
  [ours, mine]: PlacedEntry,
  [theirs, other]: PlacedEntry,
): Promise<string[]> {
  const [expected, actual] = [mine.uncompressedSize, other.uncompressedSize];
  const isZip = path.endsWith(".whl");
  // What is larger than the original may be huge, and is known to differ.
  if (actual !== expected && (!isZip || actual > 2 * expected))
    return [`${path}: it differs (${actual} bytes in the package, ${expected} in the new build).`];
  const [original, content] = [await ours.read(mine), await theirs.read(other)];
  if (content.equals(original)) return [];
  const inner = isZip ? await differencesOf(content, original, path) : [];
  return inner.length > 0 ? inner.map((difference) => `${path} / ${difference}`) : [`${path}: it differs.`];
}

/** A zip in memory. Its files are unpacked one by one. */
class Zip {
  readonly entries = new Map<string, yauzl.Entry>();
  /** Paths of which there are several entries; which one counts depends on who unpacks it. */
  readonly repeated: string[] = [];
  readonly #archive: yauzl.ZipFile;
  readonly #place: string;

  private constructor(archive: yauzl.ZipFile, place: string) {
    this.#archive = archive;
    this.#place = place;
  }

  static async open(content: Buffer, place: string): Promise<Zip> {
    try {
      const archive = await yauzl.fromBufferPromise(content, { lazyEntries: true });
      const zip = new Zip(archive, place);
      for await (const entry of archive.eachEntry()) {
        if (zip.entries.has(entry.fileName)) zip.repeated.push(entry.fileName);
        zip.entries.set(entry.fileName, entry);
      }
      return zip;
    } catch (error) {
      throw unreadable(place, error);
    }
  }

  async read(entry: yauzl.Entry): Promise<Buffer> {
    try {
      return await buffer(await this.#archive.openReadStreamPromise(entry));
    } catch (error) {
      throw unreadable(`${entry.fileName} in ${this.#place}`, error);
    }
  }
}

function unreadable(place: string, error: unknown): VerifyError {
  return new VerifyError(`${place} cannot be read as a zip (${messageOf(error)}).`);
}

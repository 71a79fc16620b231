import { buffer } from "node:stream/consumers";
import { Transform } from "node:stream";
import yauzl, { type Entry, type ZipFile } from "yauzl";
import { printable } from "../../../src/runtime/printable.ts";
import { messageOf } from "../../../src/text.ts";

/** A package that is not installed, and why, in a sentence for the person who wanted to install it. */
export class PackageRefused extends Error {
  override name = "PackageRefused";
}

export interface ArchiveLimits {
  entries: number;
  /** Bytes of all files, unpacked. */
  totalBytes: number;
  /** Unpacked bytes for each packed byte of one file. */
  ratio: number;
}

const ARCHIVE_LIMITS: ArchiveLimits = { entries: 2_000, totalBytes: 256 * 2 ** 20, ratio: 100 };

/** Tiny files may repeat themselves; only what grows past this is judged by its ratio. */
const RATIO_FREE_BYTES = 2 ** 20;
const UNIX_TYPE_MASK = 0o170000;
const UNIX_REGULAR = 0o100000;
const UNIX_DIRECTORY = 0o040000;
const UNIX_LINK = 0o120000;

/**
 * Reads all files of a zip archive into memory, by their path.
 * @throws PackageRefused for paths that leave the folder, links, encryption, duplicates, bombs, and damaged archives.
 */
export async function readArchive(bytes: Buffer, limits = ARCHIVE_LIMITS): Promise<Map<string, Buffer>> {
  const zip = await openZip(bytes);
  const files = new Map<string, Buffer>();
  const seen = new Set<string>();
  let left = limits.totalBytes;
  try {
    if (zip.entryCount > limits.entries) throw tooMany(limits);
    for await (const entry of zip.eachEntry()) {
      const path = checkedPath(entry);
      checkUnique(path, seen);
      if (seen.size > limits.entries) throw tooMany(limits);
      checkKind(entry, path);
      if (path.endsWith("/")) continue;
      const content = await readEntry(zip, entry, path, { bytes: left, total: limits.totalBytes, ratio: limits.ratio });
      left -= content.length;
      files.set(path, content);
    }
  } catch (error) {
    throw error instanceof PackageRefused ? error : damaged(error);
  }
  checkFolders(files);
  return files;
}

async function openZip(bytes: Buffer): Promise<ZipFile> {
  try {
    // Names stay raw so that this module, not the library, judges them and says what is wrong.
    return await yauzl.fromBufferPromise(bytes, { lazyEntries: true, decodeStrings: false });
  } catch (error) {
    throw damaged(error);
  }
}

function checkedPath(entry: Entry): string {
  const path = yauzl.getFileNameLowLevel(entry.generalPurposeBitFlag, entry.fileNameRaw, entry.extraFields, true);
  const shown = printable(path);
  if (path === "" || printable(path) !== path)
    throw new PackageRefused(`The path "${shown}" holds characters that no file name needs.`);
  if (path.startsWith("/") || /^[a-z]:/i.test(path)) throw new PackageRefused(`The path "${shown}" is absolute.`);
  if (/[\\:]/.test(path)) throw new PackageRefused(`The path "${shown}" holds a backslash or a colon.`);
  const segments = path.replace(/\/$/, "").split("/");
  if (segments.some((segment) => segment === "" || segment === "." || segment === "..")) {
    throw new PackageRefused(`The path "${shown}" leads out of the package's folder.`);
  }
  return path;
}

function checkUnique(path: string, seen: Set<string>): void {
  const key = path.replace(/\/$/, "").normalize("NFC").toLowerCase();
  if (seen.has(key)) throw new PackageRefused(`The archive holds "${path}" twice (letter case does not count).`);
  seen.add(key);
}

function checkKind(entry: Entry, path: string): void {
  if (entry.isEncrypted()) throw new PackageRefused(`"${path}" is encrypted. A package is readable by everyone.`);
  if (!entry.canDecodeFileData()) throw new PackageRefused(`"${path}" is packed with a method other than deflate.`);
  const type = (entry.externalFileAttributes >>> 16) & UNIX_TYPE_MASK;
  if (type === UNIX_LINK) throw new PackageRefused(`"${path}" is a link. A package holds plain files.`);
  if (type !== 0 && type !== (path.endsWith("/") ? UNIX_DIRECTORY : UNIX_REGULAR)) {
    throw new PackageRefused(`"${path}" is not a plain file.`);
  }
}

async function readEntry(
  zip: ZipFile,
  entry: Entry,
  path: string,
  left: { bytes: number; total: number; ratio: number },
): Promise<Buffer> {
  const mostByRatio = Math.max(RATIO_FREE_BYTES, entry.compressedSize * left.ratio);
  const source = await zip.openReadStreamPromise(entry);
  let size = 0;
  // The sizes in the archive are claims: what counts is what comes out.
  const guard = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      size += chunk.length;
      if (size > left.bytes) done(new PackageRefused(`The archive unpacks to more than ${left.total} bytes.`));
      else if (size > mostByRatio)
        done(new PackageRefused(`"${path}" grows to more than ${left.ratio} times its packed size.`));
      else done(null, chunk);
    },
  });
  source.once("error", (error) => guard.destroy(error));
  try {
    return await buffer(source.pipe(guard));
  } finally {
    source.destroy();
  }
}

/** A path that is a file here and a folder there would make the unpacking fail half-way. */
function checkFolders(files: Map<string, Buffer>): void {
  const names = new Set([...files.keys()].map((path) => path.toLowerCase()));
  for (const path of names) {
    const segments = path.split("/");
    const clash = segments.slice(1).some((_, index) => names.has(segments.slice(0, index + 1).join("/")));
    if (clash) throw new PackageRefused(`"${path}" lies in a folder that is also a file.`);
  }
}

function tooMany(limits: ArchiveLimits): PackageRefused {
  return new PackageRefused(`The archive holds more than ${limits.entries} entries.`);
}

function damaged(error: unknown): PackageRefused {
  return new PackageRefused(`The file is not a zip archive, or it is damaged: ${printable(messageOf(error))}.`);
}

import { chmod, mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { buffer } from "node:stream/consumers";
import { inflateRawSync } from "node:zlib";
import yauzl, { type Entry, type ZipFile } from "yauzl";

export interface ZipEntry {
  path: string;
  content: Buffer;
  /** Unix permissions. */
  mode: number;
  date: Date;
}

/** Reads a zip, from a file or from memory, in the archive's own order. */
export async function readZip(zip: string | Uint8Array): Promise<ZipEntry[]> {
  const archive =
    typeof zip === "string"
      ? await yauzl.openPromise(zip, { lazyEntries: true })
      : await yauzl.fromBufferPromise(Buffer.from(zip), { lazyEntries: true });
  const entries: ZipEntry[] = [];
  for await (const entry of archive.eachEntry()) {
    entries.push({
      path: entry.fileName,
      content: await contentOf(archive, entry),
      mode: (entry.externalFileAttributes >>> 16) & 0o7777,
      date: entry.getLastModDate({ timezone: "UTC" }),
    });
  }
  return entries;
}

/** Inflated at once, which takes a fraction of the time of a stream. */
async function contentOf(archive: ZipFile, entry: Entry): Promise<Buffer> {
  const stored = await buffer(await archive.openReadStreamPromise(entry, { decodeFileData: false }));
  return entry.compressionMethod === 0 ? stored : inflateRawSync(stored);
}

/** Unpacks a zip of ours into a folder. */
export async function unzip(zip: string | Uint8Array, folder: string): Promise<void> {
  for (const { path, content, mode } of await readZip(zip)) {
    const target = join(folder, path);
    await mkdir(dirname(target), { recursive: true });
    await writeFile(target, content);
    await chmod(target, mode);
  }
}

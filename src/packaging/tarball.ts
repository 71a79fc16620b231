import { buffer } from "node:stream/consumers";
import { gunzipSync } from "node:zlib";
import { TarArchive } from "archiver";
import type { PackageFile } from "./target.ts";

/** Of every file, so that the bytes depend on the files alone. Before 1980, some tools refuse a date. */
const date = new Date(Date.UTC(1985, 9, 26));

/** Packs files into a compressed tar whose bytes are the same wherever and whenever it is built. */
export async function tarball(files: readonly PackageFile[]): Promise<Buffer> {
  const archive = new TarArchive({ gzip: true, gzipOptions: { level: 9 } });
  const packed = buffer(archive);
  for (const { path, content, executable } of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    archive.append(Buffer.from(content), { name: path, date, mode: executable === true ? 0o755 : 0o644 });
  }
  await archive.finalize();
  return packed;
}

/** A tarball of this project has a few megabytes. */
const MOST_UNPACKED = 256 * 1024 * 1024;
const BLOCK = 512;

/**
 * The regular files in a tarball of `tarball`, in its order.
 *
 * @throws Error when it is none, or holds anything else
 */
export function filesInTarball(packed: Uint8Array): { path: string; content: Buffer }[] {
  const tar = gunzipSync(packed, { maxOutputLength: MOST_UNPACKED });
  const files: { path: string; content: Buffer }[] = [];
  for (let at = 0; at + BLOCK <= tar.length && tar[at] !== 0;) {
    const field = (begin: number, length: number) =>
      tar.toString("utf8", at + begin, at + begin + length).replace(/\0.*$/s, "");
    const [name, prefix, kind] = [field(0, 100), field(345, 155), field(156, 1)];
    const size = Number.parseInt(field(124, 12).trim(), 8);
    const begin = at + BLOCK;
    if ((kind !== "0" && kind !== "") || !(begin + size <= tar.length)) throw new Error(`unexpected entry ${name}`);
    files.push({ path: prefix === "" ? name : `${prefix}/${name}`, content: tar.subarray(begin, begin + size) });
    at = begin + Math.ceil(size / BLOCK) * BLOCK;
  }
  return files;
}

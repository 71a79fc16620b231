import { buffer } from "node:stream/consumers";
import { ZipArchive } from "archiver";
import type { PackageFile } from "./target.ts";

/** The earliest date that a zip can say: an archive's bytes depend on its files alone. */
const date = new Date(Date.UTC(1980, 0, 1));

/** Level 9 makes Node.js half a percent smaller and takes twice as long. */
const LEVEL = 6;

/** Packs files into a zip whose bytes are the same wherever and whenever it is built. */
export async function zip(files: readonly PackageFile[]): Promise<Buffer> {
  const archive = new ZipArchive({ zlib: { level: LEVEL } });
  const packed = buffer(archive);
  for (const { path, content, executable } of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    // A wheel is a zip itself, which does not get smaller.
    const store = path.endsWith(".whl");
    archive.append(Buffer.from(content), { name: path, date, mode: executable === true ? 0o755 : 0o644, store });
  }
  await archive.finalize();
  return packed;
}

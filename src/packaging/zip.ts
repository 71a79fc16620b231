import { buffer } from "node:stream/consumers";
import { ZipArchive } from "archiver";
import type { PackageFile } from "./target.ts";

/** The earliest date that a zip can say: an archive's bytes depend on its files alone. */
const date = new Date(Date.UTC(1980, 0, 1));

/** Packs files into a zip whose bytes are the same wherever and whenever it is built. */
export async function zip(files: readonly PackageFile[]): Promise<Buffer> {
  const archive = new ZipArchive({ zlib: { level: 9 } });
  const packed = buffer(archive);
  for (const { path, content, executable } of [...files].sort((a, b) => (a.path < b.path ? -1 : 1))) {
    archive.append(Buffer.from(content), { name: path, date, mode: executable === true ? 0o755 : 0o644 });
  }
  await archive.finalize();
  return packed;
}

import { deflateRawSync } from "node:zlib";
import { withChecksums } from "../../src/packaging/files.ts";

export interface ZipEntry {
  name: string;
  content?: string | Uint8Array;
  /** Unix mode with the type of the file. */
  mode?: number;
  flags?: number;
  deflate?: boolean;
}

/** Writes a zip archive byte by byte, so that it can also hold what no honest tool writes. */
export function rawZip(entries: ZipEntry[]): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  let offset = 0;
  for (const { name, content = "", mode = 0o100644, flags = 0x800, deflate = false } of entries) {
    const path = Buffer.from(name);
    const plain = Buffer.from(content);
    const packed = deflate ? deflateRawSync(plain) : plain;
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(deflate ? 8 : 0, 4);
    common.writeUInt32LE(0x21, 6);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(plain.length, 18);
    common.writeUInt16LE(path.length, 22);
    locals.push(Buffer.from("PK\x03\x04", "latin1"), common, path, packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE((mode << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    central.push(Buffer.from("PK\x01\x02\x14\x03", "latin1"), common, rest, path);
    offset += 30 + path.length + packed.length;
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(entries.length, 4);
  end.writeUInt16LE(entries.length, 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...locals, directory, Buffer.from("PK\x05\x06", "latin1"), end]);
}

/** Zips files together with their SHA256SUMS. */
export function zipOf(files: Map<string, string>): Buffer {
  const listed = withChecksums([...files].map(([path, content]) => ({ path, content })));
  return rawZip(listed.map(({ path, content }) => ({ name: path, content, deflate: true })));
}

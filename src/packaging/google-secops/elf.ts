/** Highest version of the GNU C library that the program asks for. */
export interface GlibcVersion {
  major: number;
  minor: number;
}

const SHT_GNU_VERNEED = 0x6ffffffe;

/**
 * Reads, from a 64-bit little-endian ELF program, the highest `GLIBC_x.y` among the symbol versions that it needs: the
 * least C library under which it starts (Linux Standard Base, symbol versioning, section .gnu.version_r).
 *
 * @throws Error when the file is no such program or needs no version at all
 */
export function neededGlibc(program: Uint8Array): GlibcVersion {
  const view = Buffer.from(program.buffer, program.byteOffset, program.byteLength);
  if (view.length < 64 || view.readUInt32BE(0) !== 0x7f454c46 || view[4] !== 2 || view[5] !== 1) {
    throw new Error("Not a 64-bit little-endian ELF program.");
  }
  const versions = sectionsOf(view)
    .filter(({ type }) => type === SHT_GNU_VERNEED)
    .flatMap((section) => namesNeeded(view, section))
    .flatMap((name) => {
      const [, major, minor] = /^GLIBC_(\d+)\.(\d+)/.exec(name) ?? [];
      return major === undefined || minor === undefined ? [] : [{ major: Number(major), minor: Number(minor) }];
    })
    .sort((a, b) => b.major - a.major || b.minor - a.minor);
  if (versions[0] === undefined) throw new Error("The program names no version of the GNU C library.");
  return versions[0];
}

interface Section {
  type: number;
  offset: number;
  /** Where its texts are. */
  texts: number;
  entries: number;
}

function sectionsOf(view: Buffer): Section[] {
  const table = Number(view.readBigUInt64LE(0x28));
  const size = view.readUInt16LE(0x3a);
  const count = view.readUInt16LE(0x3c);
  const offsetOf = (index: number) => Number(view.readBigUInt64LE(table + index * size + 24));
  return Array.from({ length: count }, (_, index) => {
    const header = table + index * size;
    return {
      type: view.readUInt32LE(header + 4),
      offset: offsetOf(index),
      texts: offsetOf(view.readUInt32LE(header + 40)),
      entries: view.readUInt32LE(header + 44),
    };
  });
}

/** Two nested linked lists: libraries, and the versions needed of each. */
function namesNeeded(view: Buffer, { offset, texts, entries }: Section): string[] {
  const names: string[] = [];
  let library = offset;
  for (let left = entries; left > 0; left -= 1) {
    let version = library + view.readUInt32LE(library + 8);
    for (let count = view.readUInt16LE(library + 2); count > 0; count -= 1) {
      const start = texts + view.readUInt32LE(version + 8);
      names.push(view.toString("latin1", start, view.indexOf(0, start)));
      version += view.readUInt32LE(version + 12);
    }
    library += view.readUInt32LE(library + 12);
  }
  return names;
}

/** A program file with nothing in it but the symbol versions that it needs of each library. */
export function elfWithVersions(libraries: Readonly<Record<string, readonly string[]>>): Buffer {
  const texts = new Texts();
  const needs = Object.entries(libraries).map(([library, versions], index, all) => {
    const head = Buffer.alloc(16);
    head.writeUInt16LE(1, 0);
    head.writeUInt16LE(versions.length, 2);
    head.writeUInt32LE(texts.add(library), 4);
    head.writeUInt32LE(16, 8);
    head.writeUInt32LE(index === all.length - 1 ? 0 : 16 + 16 * versions.length, 12);
    const rows = versions.map((version, position) => {
      const row = Buffer.alloc(16);
      row.writeUInt32LE(texts.add(version), 8);
      row.writeUInt32LE(position === versions.length - 1 ? 0 : 16, 12);
      return row;
    });
    return Buffer.concat([head, ...rows]);
  });
  const [names, versions] = [texts.content, Buffer.concat(needs)];
  const headerSize = 64;
  const tableAt = headerSize + names.length + versions.length;
  const header = Buffer.alloc(headerSize);
  header.write("\x7fELF\x02\x01\x01", "latin1");
  header.writeBigUInt64LE(BigInt(tableAt), 0x28);
  header.writeUInt16LE(64, 0x3a);
  header.writeUInt16LE(3, 0x3c);
  const strings = section(3, headerSize, names.length, 0, 0);
  const needed = section(0x6ffffffe, headerSize + names.length, versions.length, 1, needs.length);
  return Buffer.concat([header, names, versions, Buffer.alloc(64), strings, needed]);
}

class Texts {
  content = Buffer.alloc(1);

  add(text: string): number {
    const start = this.content.length;
    this.content = Buffer.concat([this.content, Buffer.from(`${text}\0`, "latin1")]);
    return start;
  }
}

function section(type: number, offset: number, size: number, link: number, info: number): Buffer {
  const header = Buffer.alloc(64);
  header.writeUInt32LE(type, 4);
  header.writeBigUInt64LE(BigInt(offset), 24);
  header.writeBigUInt64LE(BigInt(size), 32);
  header.writeUInt32LE(link, 40);
  header.writeUInt32LE(info, 44);
  return header;
}

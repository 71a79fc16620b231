import type { Misbehaviour } from "../scenario.ts";

/** The body as a client reads it that takes its bytes for whole and plain UTF-8. */
export function misread(body: string, faults: readonly Misbehaviour[]): string {
  const encoding = faults.find((fault) => fault.kind === "encoding");
  const encoded = encoding === undefined ? body : encodings[encoding.how](body);
  const isCut = faults.some(({ kind }) => kind === "truncated");
  return isCut ? encoded.slice(0, Math.floor(encoded.length * 0.7)) : encoded;
}

const encodings: Record<(Misbehaviour & { kind: "encoding" })["how"], (body: string) => string> = {
  "byte order mark": (body) => `\ufeff${body}`,
  "utf-16": (body) => Buffer.from(body, "utf16le").toString("utf8"),
  compressed: (body) => compressed(body).toString("utf8"),
};

/** The beginning of any gzip stream, and bytes without a meaning: nobody is to decompress them. */
function compressed(body: string): Buffer {
  const head = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]);
  return Buffer.concat([head, Buffer.from(body.slice(0, 200), "utf8").map((byte) => byte ^ 0xa5)]);
}

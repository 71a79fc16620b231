import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { createRedactor } from "../../src/runtime/redaction.ts";
import { REDACTED } from "../../src/secrets.ts";

const secret = fc.oneof(
  fc.string({ minLength: 12, maxLength: 60, unit: "grapheme" }),
  fc.base64String({ minLength: 12, maxLength: 88 }),
);
const filler = fc.string({ maxLength: 20 });
const lower = (text: string): string => text.toLowerCase();
const inJson = (text: string): string => JSON.stringify(text);
const escaped = (text: string): string =>
  text.replace(/[^a-z]/gi, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0").toUpperCase()}`);
const xml = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

describe("createRedactor", () => {
  it.each<[string, string, (key: string) => string]>([
    ["as it is", "[redacted]", (key) => key],
    ["percent-encoded", "[redacted]", encodeURIComponent],
    ["percent-encoded in small letters", "[redacted]", (key) => encodeURIComponent(key).replace(/%../g, lower)],
    ["in the path of a URL", "[redacted]", encodeURI],
    ["in a form", "key=[redacted]", (key) => new URLSearchParams({ key }).toString()],
    ["in a JSON text", '{"key":"[redacted]"}', (key) => JSON.stringify({ key })],
    ["in a JSON text inside a JSON text", '"\\"[redacted]\\""', (key) => JSON.stringify(JSON.stringify(key))],
    ["in JSON that escapes slashes", '"[redacted]"', (key) => JSON.stringify(key).replaceAll("/", "\\/")],
    ["in JSON that escapes everything", '"[redacted]"', (key) => `"${escaped(key)}"`],
    [
      "in JSON inside JSON that escapes slashes",
      '"\\"[redacted]\\""',
      (key) => inJson(inJson(key).replaceAll("/", "\\/")),
    ],
    [
      "in XML with references to characters",
      "[redacted]",
      (key) => key.replace(/[^a-z]/gi, (c) => `&#${c.charCodeAt(0)};`),
    ],
    ["in JSON that escapes plus signs", '"[redacted]"', (key) => JSON.stringify(key).replaceAll("+", "\\u002B")],
    ["in a field of CSV", '"[redacted]"', (key) => `"${key.replaceAll('"', '""')}"`],
    ["in a text of XML", "<a>[redacted]</a>", (key) => `<a>${xml(key)}</a>`],
    ["in an attribute of XML", '<a b="[redacted]">', (key) => `<a b="${xml(key).replaceAll('"', "&quot;")}">`],
    ["in hexadecimal", "[redacted]", (key) => Buffer.from(key).toString("hex")],
    ["in hexadecimal with capitals", "[redacted]", (key) => Buffer.from(key).toString("hex").toUpperCase()],
  ])("takes a key out that stands %s, and nothing else", (_, cleaned, write) => {
    const key = 'aB3+/"k\u00fc==zz9? &<x>~';
    expect(createRedactor([key]).text(`before ${write(key)} after`)).toBe(`before ${cleaned} after`);
  });

  it.each<[string, (key: string) => string]>([
    ["in base64", (key) => Buffer.from(key).toString("base64")],
    ["in base64 for URLs", (key) => Buffer.from(key).toString("base64url")],
    ["in base64 behind one byte", (key) => Buffer.from(`:${key}:x`).toString("base64")],
    ["in base64 for URLs behind two bytes", (key) => Buffer.from(`id${key}:x`).toString("base64url")],
  ])("leaves at most two digits of a key that stands %s", (_, write) => {
    // Its digits in base64 contain both that have another form in URLs.
    const key = "\u00fb\u00ff\u00fe>>>???~~~aB3\u00ff\u00fe";
    expect(write(key)).toMatch(/[+/_-]/);
    expect(createRedactor([key]).text(write(key))).toMatch(/^[\w+/-]{0,4}\[redacted\][\w+/-]{0,4}=*$/);
  });

  it.each([300, 8_000, 100_000])("knows a bearer token of %i characters, however it is written", (length) => {
    const token = `eyJ${"aB3_-.xY9/+".repeat(length / 11)}`;
    const redactor = createRedactor([token]);
    const forms = [token, encodeURIComponent(token), inJson(token).slice(1, -1).replaceAll("/", "\\/")];
    forms.push(Buffer.from(token).toString("base64"), Buffer.from(token).toString("hex"));
    for (const form of forms)
      expect(redactor.text(`"${form}" and <${form}>.`)).toBe(`"${REDACTED}" and <${REDACTED}>.`);
  });

  it("knows a secret with line breaks in JSON, and all of a long one with spaces", () => {
    for (const secret of ["line one\nline two", "line\tonetwo"])
      expect(createRedactor([secret]).text(JSON.stringify(secret))).toBe(`"${REDACTED}"`);
    const long = `${"k".repeat(128)} the rest, too`;
    expect(createRedactor([long]).text(`x ${long} y`)).toBe(`x ${REDACTED} y`);
  });

  it("takes no time that grows with each backslash of a secret", () => {
    const secret = `${"\\".repeat(40)}abcdefgh`;
    const redactor = createRedactor([secret]);
    expect(redactor.text(`${"\\".repeat(4_000)}y`)).toHaveLength(4_001);
    expect(redactor.text(JSON.stringify(secret))).toBe(`"${REDACTED}"`);
  });

  it("knows a key without its padding", () => {
    const key = "c2VjcmV0LXRva2VuLWtleQ==";
    const cleaned = ["", "=", "=="].map((padding) => createRedactor([key]).text(`<${key.slice(0, -2)}${padding}>`));
    expect(cleaned).toEqual(Array(3).fill(`<${REDACTED}>`));
  });

  it("leaves no trace of a secret in any text that holds it", () => {
    fc.assert(
      fc.property(secret, filler, filler, (key, before, after) => {
        const redactor = createRedactor([key]);
        const [hex, base64] = (["hex", "base64"] as const).map((encoding) => Buffer.from(key).toString(encoding));
        for (const form of [
          key,
          encodeURIComponent(key),
          inJson(key).slice(1, -1),
          xml(key),
          hex!,
          base64!.replace(/=+$/, ""),
        ]) {
          const cleaned = redactor.text(`${before}${form}${after}`);
          expect(cleaned.includes(form)).toBe(false);
          expect(redactor.text(cleaned)).toBe(cleaned);
        }
      }),
    );
  });

  it("goes through every text and key of a JSON value", () => {
    const key = "0123456789abcdef";
    const cleaned = createRedactor([key]).json({ [`x-${key}`]: [{ deep: `a${key}b` }, 1, null, true] });
    expect(cleaned).toEqual({ [`x-${REDACTED}`]: [{ deep: `a${REDACTED}b` }, 1, null, true] });
  });

  it("takes the longer of two secrets first", () => {
    expect(createRedactor(["longsecret", "longsecret-and-more"]).text("longsecret-and-more")).toBe(REDACTED);
  });

  it("knows a secret that was typed with blanks around it", () => {
    expect(createRedactor(["  0123456789abcdef "]).text("key=0123456789abcdef;")).toBe(`key=${REDACTED};`);
  });

  it("takes nothing with less than eight characters for a secret, in no form", () => {
    const [short, long] = ["seven77", "eight888"];
    const text = `a ${short} ${Buffer.from(short).toString("base64")}`;
    expect(createRedactor(["", "a", short]).text(text)).toBe(text);
    expect(createRedactor([long]).text(long)).toBe(REDACTED);
  });
});

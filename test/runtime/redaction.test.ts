import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { createRedactor, REDACTED } from "../../src/runtime/redaction.ts";

const secret = fc.oneof(
  fc.string({ minLength: 12, maxLength: 60, unit: "grapheme" }),
  fc.base64String({ minLength: 12, maxLength: 88 }),
);
const filler = fc.string({ maxLength: 20 });

describe("createRedactor", () => {
  it.each([
    ["as it is", (key: string) => key],
    ["percent-encoded", encodeURIComponent],
    ["in a form", (key: string) => new URLSearchParams({ key }).toString()],
    ["in a JSON text", (key: string) => JSON.stringify({ key })],
    ["in a JSON text inside a JSON text", (key: string) => JSON.stringify(JSON.stringify({ key }))],
    ["in base64", (key: string) => Buffer.from(key).toString("base64")],
    ["in base64 for URLs", (key: string) => Buffer.from(key).toString("base64url")],
    ["in base64 behind something else", (key: string) => Buffer.from(`id:${key}:x`).toString("base64")],
    ["in hexadecimal", (key: string) => Buffer.from(key).toString("hex")],
  ])("takes a key out that stands %s", (_, write) => {
    const key = 'aB3+/"k\u00fc==zz9?';
    const cleaned = createRedactor([key]).text(`before ${write(key)} after`);
    expect(cleaned).toContain(REDACTED);
    for (const form of [key, Buffer.from(key).toString("base64").slice(0, 16), encodeURIComponent(key)]) {
      expect(cleaned).not.toContain(form);
    }
  });

  it("leaves no trace of a secret in any text that holds it", () => {
    fc.assert(
      fc.property(secret, filler, filler, (key, before, after) => {
        const redactor = createRedactor([key]);
        for (const form of [key, encodeURIComponent(key), Buffer.from(key).toString("base64").replace(/=+$/, "")]) {
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

  it("leaves texts alone that hold no secret, and takes nothing short for one", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(createRedactor(["", "a", "key"]).text(text)).toBe(text);
      }),
    );
  });
});

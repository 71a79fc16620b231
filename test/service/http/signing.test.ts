import { readFileSync } from "node:fs";
import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { sign } from "../../../src/service/http/signing.ts";

interface Vector {
  name: string;
  key: string;
  method: string;
  target: string;
  requestDate: string;
  body: string;
  signature: string;
}

const { vectors } = JSON.parse(readFileSync(new URL("../fixtures/signing-vectors.json", import.meta.url), "utf8")) as {
  vectors: Vector[];
};

/** The server's side, written with another library than the client's. */
async function webCryptoSignature(key: string, method: string, target: string, date: string, body: Uint8Array) {
  const text = new TextEncoder();
  const link = async (keyBytes: Uint8Array, content: Uint8Array) => {
    const hmac = { name: "HMAC", hash: "SHA-256" };
    const imported = await crypto.subtle.importKey("raw", keyBytes, hmac, false, ["sign"]);
    return new Uint8Array(await crypto.subtle.sign("HMAC", imported, content));
  };
  const operation = await link(text.encode(key), text.encode(`${method}${target}`));
  const hour = await link(operation, text.encode(date.substring(0, 13)));
  return Buffer.from(await link(hour, body)).toString("base64");
}

describe("signing", () => {
  it.each(vectors)("agrees with Python's hmac: $name", ({ key, method, target, requestDate, body, signature }) => {
    expect(sign(key, method, target, requestDate, body)).toBe(signature);
  });

  it("agrees with an independent computation for any key, target and body", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ minLength: 1, unit: "grapheme" }),
        fc.constantFrom("GET", "DELETE", "POST"),
        fc.string(),
        fc.uint8Array(),
        async (key, method, rest, body) => {
          const target = `/api/v2/${rest}`;
          const date = "2026-08-20T14:05:06.123Z";
          expect(sign(key, method, target, date, body)).toBe(await webCryptoSignature(key, method, target, date, body));
        },
      ),
    );
  });

  it("is bound to the hour, the method and the query", () => {
    const base = sign("k", "GET", "/a?x=1", "2026-08-20T14:05:06Z");
    expect(sign("k", "GET", "/a?x=1", "2026-08-20T14:59:59Z")).toBe(base);
    expect(sign("k", "GET", "/a?x=1", "2026-08-20T15:05:06Z")).not.toBe(base);
    expect(sign("k", "DELETE", "/a?x=1", "2026-08-20T14:05:06Z")).not.toBe(base);
    expect(sign("k", "GET", "/a?x=2", "2026-08-20T14:05:06Z")).not.toBe(base);
  });
});

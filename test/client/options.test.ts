import { describe, expect, it } from "@jest/globals";
import { AttackPathClient, type ClientOptions, ConfigurationError } from "../../src/client/index.ts";

const TOKEN = { tokenId: "3fa85f64-5717-4562-b3fc-2c963f66afa6", tokenKey: "canary-token-key-7c1d" };

/** Options as a program in JavaScript may pass them. */
function opening(options: object): () => AttackPathClient {
  return () => new AttackPathClient(options as ClientOptions);
}

describe("a client", () => {
  it.each([
    ["Token Key", { ...TOKEN, tokenKey: undefined }],
    ["Token Key", { tokenId: TOKEN.tokenId }],
    ["Token Key", { ...TOKEN, tokenKey: null }],
    ["Token Key", { ...TOKEN, tokenKey: "" }],
    ["Token ID", { ...TOKEN, tokenId: undefined }],
    ["Token ID", { tokenKey: TOKEN.tokenKey }],
    ["Token", { bearerToken: undefined }],
    ["credentials", undefined],
    ["credentials", null],
  ])("is refused without %s: %j", (name, credentials) => {
    const open = opening({ server: "https://tenant.example.com", credentials });
    expect(open).toThrow(ConfigurationError);
    expect(open).toThrow(new RegExp(`\\b${name} is (empty|missing)`));
  });

  it("is refused when Token ID and Token Key are interchanged or both the key, or the key has more than one line", () => {
    const swapped = { tokenId: TOKEN.tokenKey, tokenKey: TOKEN.tokenId };
    const lines = { ...TOKEN, tokenKey: `${TOKEN.tokenKey}\nmore` };
    const twice = { ...TOKEN, tokenId: TOKEN.tokenKey };
    const opened = [swapped, lines, twice].map((credentials) =>
      opening({ server: "https://tenant.example.com", credentials }),
    );
    expect(opened[0]).toThrow("Token Key looks like a Token ID.");
    expect(opened[1]).toThrow("Token Key contains line breaks");
    expect(opened[2]).toThrow("Token ID contains the Token Key.");
  });

  it.each([
    ["requestsPerSecond", 0],
    ["requestsPerSecond", 0.5],
    ["requestsPerSecond", NaN],
    ["concurrentRequests", -1],
    ["requestTimeoutSeconds", 0],
  ])("is refused with less than one for %s: %d", (name, value) => {
    const open = opening({ server: "https://tenant.example.com", credentials: TOKEN, [name]: value });
    expect(open).toThrow(ConfigurationError);
    expect(open).toThrow(`The option ${name} is ${value}.`);
  });

  it.each([undefined, null, ""])("is refused without a server: %j", (server) => {
    const open = opening({ server, credentials: TOKEN });
    expect(open).toThrow(ConfigurationError);
    expect(open).toThrow(/^Server is empty/);
  });
});

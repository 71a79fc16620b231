import { describe, expect, it } from "@jest/globals";
import { NetworkError } from "../../../src/service/errors/errors.ts";
import { shownAnswer, shownHeaders } from "../../../src/service/http/shown-exchange.ts";

const KEY = "c2VjcmV0LXRva2VuLWtleQ==";
const redact = (text: string) => text.replaceAll(KEY, "[redacted]");
const sent = { Accept: "*/*", Authorization: "bhesignature 1234", Signature: "abc" };

describe("both sides of a request, as they are shown", () => {
  it("have their headers, with credentials, signature and cookies masked", () => {
    const headers = { "content-type": "application/json", "set-cookie": "token=1", date: undefined, "x-echo": KEY };
    expect(shownHeaders(sent, redact)).toEqual({
      Accept: "*/*",
      Authorization: "bhesignature [masked]",
      Signature: "[masked]",
    });
    expect(shownAnswer({ status: 200, headers, body: "{}" }, redact)).toEqual({
      headers: { "content-type": "application/json", "set-cookie": "[masked]", "x-echo": "[redacted]" },
      body: "{}",
    });
  });

  it("have the beginning of the body, in which no part of a secret is left", () => {
    const body = `${"x".repeat(1_995)}${KEY}${"y".repeat(100_000)}`;
    expect(shownAnswer({ status: 200, headers: {}, body }, redact)?.body).toBe(`${"x".repeat(1_995)}[reda`);
  });

  it("have no part of a secret that is cut off behind many others", () => {
    const long = `eyJ${"abcdefghij".repeat(70)}`;
    const shown = shownAnswer({ status: 400, headers: {}, body: `${long} `.repeat(40) }, (text) =>
      text.replaceAll(long, "[redacted]"),
    );
    expect(shown?.body).not.toContain("eyJ");
  });

  it("say that there was no response", () => {
    const error = new NetworkError("Refused.", { whoActs: "service", endpoint: { method: "GET", path: "/" } });
    expect(shownAnswer(error, redact)).toBeNull();
  });
});

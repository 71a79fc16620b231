import { describe, expect, it } from "@jest/globals";
import { ServerAddressError } from "../../src/service/errors/errors.ts";
import { parseServerAddress } from "../../src/service/http/server-address.ts";

describe("the value of Server", () => {
  it.each([
    ["https://tenant.example.com", "https://tenant.example.com", ""],
    ["tenant.example.com", "https://tenant.example.com", ""],
    ["  HTTPS://Tenant.Example.COM/  ", "https://tenant.example.com", ""],
    ["https://tenant.example.com:443/", "https://tenant.example.com", ""],
    ["tenant.example.com:8443", "https://tenant.example.com:8443", ""],
    ["https://gate.example.com/Tenant-A///", "https://gate.example.com/Tenant-A", "/Tenant-A"],
    ["https://gate.example.com/a/b", "https://gate.example.com/a/b", "/a/b"],
    ["https://tenant.example.com/ui/explore?searchterm=BOB%40CORP&x=1#top", "https://tenant.example.com", ""],
    ["tenant.example.com/UI/", "https://tenant.example.com", ""],
    ["https://tenant.example.com/api/v2", "https://tenant.example.com", ""],
    ["https://tenant.example.com:8443/api/v2/self?a=https://x@y", "https://tenant.example.com:8443", ""],
    ["https://tenant.example.com?next=a b@c", "https://tenant.example.com", ""],
    ["https://tenant.example.com/#/findings", "https://tenant.example.com", ""],
    [
      "https://gate.example.com/Tenant-A/ui/graphview?environmentId=1",
      "https://gate.example.com/Tenant-A",
      "/Tenant-A",
    ],
    ["https://gate.example.com/api-gateway/uis", "https://gate.example.com/api-gateway/uis", "/api-gateway/uis"],
    ["HTTPS://Tenant.Example.COM.:443/ui/login ", "https://tenant.example.com", ""],
    ["//tenant.example.com/ui", "https://tenant.example.com", ""],
    ["http://localhost.:8080/ui", "http://localhost:8080", ""],
    ["http://localhost:8080", "http://localhost:8080", ""],
    ["http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x", "/x"],
    ["http://[::1]:8080", "http://[::1]:8080", ""],
    ["https://[2001:db8::1]", "https://[2001:db8::1]", ""],
    ["https://bücher.example", "https://xn--bcher-kva.example", ""],
  ])("%j is used as %s", (value, origin, pathPrefix) => {
    expect(parseServerAddress(value)).toMatchObject({ origin, pathPrefix });
  });

  it.each([
    ["", /empty/],
    ["   ", /empty/],
    ["https://user:pass-word@tenant.example.com", /user name or password/],
    ["https://@tenant.example.com", /user name or password/],
    ["?x=1", /empty/],
    ["ftp://tenant.example.com", /https/],
    ["file:///etc/passwd", /https/],
    ["http://tenant.example.com", /Use https/],
    ["http://127.0.0.1.example.com", /Use https/],
    ["http://localhost.example.com", /Use https/],
    ["https://tenant example.com", /spaces/],
    ["https://https://tenant.example.com", /https twice, or without its colon/],
    ["https//tenant.example.com", /https twice, or without its colon/],
    ['"https://tenant.example.com"', /quotation marks/],
    ["\u200bhttps://tenant.example.com", /https twice, or without its colon/],
    ["https://tenant.example.com\n.evil.example", /line breaks/],
    ["https:tenant.example.com", /complete address/],
    ["/ui/explore", /complete address/],
    ["https://", /not a valid address/],
    ["https://tenant.example.com:99999", /not a valid address/],
    ["https:\\\\tenant.example.com", /backslash/],
  ])("%j is refused with advice", (value, reason) => {
    const attempt = () => parseServerAddress(value);
    expect(attempt).toThrow(ServerAddressError);
    expect(attempt).toThrow(/^Server /);
    expect(attempt).toThrow(reason);
  });

  it("never comes back in the refusal, for it may hold a password", () => {
    expect(() => parseServerAddress("https://user:pass-word@tenant.example.com")).toThrow(/^(?!.*pass-word)/s);
  });
});

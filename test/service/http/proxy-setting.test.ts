import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { clientOf, closeClients, errorOf } from "../support/clients.ts";
import { startRawServer, type TestServer } from "../../support/raw-server.ts";

const NAMES = ["https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY", "no_proxy", "NO_PROXY"];
const saved = new Map(NAMES.map((name) => [name, process.env[name]]));

function clear(): void {
  for (const name of NAMES) Reflect.deleteProperty(process.env, name);
}

beforeEach(clear);
afterEach(() => {
  closeClients();
  clear();
  for (const [name, value] of saved) if (value !== undefined) process.env[name] = value;
});

/** A proxy that wants a password. */
async function refusingProxy(): Promise<TestServer & { heads: string[] }> {
  const heads: string[] = [];
  const proxy = await startRawServer((head, socket) => {
    heads.push(head);
    socket.end("HTTP/1.1 407 No\r\nContent-Length: 0\r\n\r\n");
  });
  return Object.assign(proxy, { heads });
}

/** The error of a request with these environment variables. */
function failureWith(env: Record<string, string>) {
  Object.assign(process.env, env);
  return errorOf(clientOf("https://tenant.example.com").environments.list());
}

describe("the proxy", () => {
  it.each(NAMES.slice(0, 4))(
    "is the one that %s names, also without a scheme, and messages name that variable",
    async (name) => {
      const proxy = await refusingProxy();
      const error = await failureWith({ [name]: `user:pass@127.0.0.1:${proxy.port}` });
      expect(proxy.heads[0]).toMatch(/^CONNECT tenant\.example\.com:443 /);
      expect(error).toMatchObject({ code: "network", message: expect.stringContaining(name) });
    },
  );

  it("of an empty variable is that of the next one", async () => {
    const proxy = await refusingProxy();
    const error = await failureWith({ HTTPS_PROXY: "", ALL_PROXY: proxy.url });
    expect(error.message).toContain("ALL_PROXY");
  });

  it.each(["socks5://user:pass-word@proxy:1080", "SOCKS4://proxy", "ftp://proxy"])(
    "of ALL_PROXY that is none for HTTP gets advice that names ALL_PROXY: %s",
    async (address) => {
      const error = await failureWith({ ALL_PROXY: address });
      expect(error.code).toBe("configuration");
      expect(error.message).toMatch(/ALL_PROXY.*set HTTPS_PROXY/s);
      expect(error.message).not.toContain("pass-word");
    },
  );

  it.each(["proxy with spaces", "http://", "http://proxy:99999"])(
    "that is no address is named: %s",
    async (address) => {
      const error = await failureWith({ ALL_PROXY: address });
      expect([error.code, error.message]).toEqual(["configuration", expect.stringContaining("ALL_PROXY")]);
    },
  );
});

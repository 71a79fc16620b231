import { beforeAll, describe, expect, it } from "@jest/globals";
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { selfSignedCertificate, type Tenant, type TenantOptions } from "../../sandbox/tenant/index.ts";
import { manifest } from "../../src/generated/manifest.ts";
import { TestHost } from "../support/host.ts";
import { builtNpmFolder, builtPackage } from "../support/package.ts";
import { type Program, runPlugin } from "../support/plugin-run.ts";
import { builtProgram } from "../support/program.ts";
import { sendJson, startServer, type TestServer } from "../support/raw-server.ts";
import { connectorFields, connectorRequest } from "../support/requests.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { startTenant } from "../support/tenant.ts";

const dataset = { environments: 1, findingTypes: 1, findingsPerPair: 3 };
const folder = temporaryFolder();
let plugin: string;
/** The same bundle, in this process. */
let program: Program;

beforeAll(async () => {
  ({ plugin } = await builtPackage());
  program = await builtProgram();
}, 120_000);

function start(options: TenantOptions = {}): Promise<Tenant> {
  return startTenant({ dataset, ...options });
}

describe("credentials", () => {
  let elsewhere: TestServer;
  beforeAll(async () => {
    elsewhere = await startServer((_, response) => {
      sendJson(response, { data: [] });
    });
  });

  it.each([301, 302, 303, 307, 308])(
    "do not follow a redirect with status %i; nor does any request",
    async (status) => {
      const tenant = await start();
      const location = `${elsewhere.url}/api/v2/available-domains`;
      tenant.control.fault({ effect: { kind: "redirect", location, status } });
      const { message } = await new TestHost(tenant, { program }).poll();
      expect(message).toContain("The redirect was not followed, so that the credentials stay with this server.");
      expect(elsewhere.requests).toEqual([]);
    },
  );

  it("go to the host of Server and to no other, whatever its answers name", async () => {
    const tenant = await start();
    const { url } = elsewhere;
    const headers = { Location: `${url}/`, Refresh: `0; url=${url}/`, Link: `<${url}/>; rel=next` };
    tenant.control.fault({ path: "details", effect: { kind: "status", status: 500, headers } });
    await new TestHost(tenant, { program }).poll();
    expect(elsewhere.requests).toEqual([]);
  });
});

describe("TLS", () => {
  it("cannot be turned off by the environment", async () => {
    const tenant = await start({ tls: selfSignedCertificate() });
    const env = { NODE_TLS_REJECT_UNAUTHORIZED: "0" };
    const { stdout } = await runPlugin(plugin, connectorRequest(connectorFields(tenant)), { env });
    expect(stdout).toContain("The certificate of the server is not issued by a certificate authority");
    expect(tenant.requests).toEqual([]);
  });

  it("has no switch among the parameters", () => {
    const labels = [
      ...manifest.instance.parameters,
      ...manifest.connectors.flatMap((connector) => connector.fields),
    ].map(({ name }) => name);
    expect(labels.filter((label) => /ssl|tls|certificate|verify|insecure/i.test(label))).toEqual([]);
  });

  it("is used for every address that is not this machine", async () => {
    const fields = { ...connectorFields({ url: "", tokenId: "x", tokenKey: "k" }), Server: "http://tenant.example" };
    const { stdout } = await runPlugin(plugin, connectorRequest(fields));
    expect(stdout).toMatch(/"status":"failed","message":"[^"]*https/);
  });
});

describe("the plugin's process", () => {
  it("writes no file, starts no process and no thread: it runs where Node forbids all of them", async () => {
    const tenant = await start();
    const child = spawn(process.execPath, ["--experimental-permission", "--allow-fs-read=*", plugin], {
      cwd: folder,
    });
    child.stdin.end(JSON.stringify(connectorRequest(connectorFields(tenant))));
    const written = await text(child.stdout);
    expect(written).toContain('"status":"completed"');
    expect(readdirSync(folder)).toEqual([]);
  });

  it("proves so, for Node refuses a file to a program under the same rules", async () => {
    const program = join(folder, "writes.mjs");
    writeFileSync(program, 'import { writeFileSync } from "node:fs"; writeFileSync("out.txt", "x");');
    const run = promisify(execFile)(process.execPath, ["--experimental-permission", "--allow-fs-read=*", program]);
    await expect(run).rejects.toThrow(/ERR_ACCESS_DENIED/);
  });

  it.each([[], ["--inspect-port=0"]])(
    "listens on no port, even when a signal asks it to open its debugger (%s)",
    async (...options) => {
      const tenant = await start();
      const request = JSON.stringify(connectorRequest(connectorFields(tenant)));
      expect(await socketsWhileRunning(tenant, [...options, plugin], request)).toEqual(["connected"]);
    },
  );

  it("is that of the command line, too", async () => {
    const tenant = await start();
    const program = join(await builtNpmFolder(), "cli.mjs");
    const args = ["environments", "--server", tenant.url, "--token-id", tenant.tokenId];
    expect(await socketsWhileRunning(tenant, [program, ...args], tenant.tokenKey)).toEqual(["connected"]);
  });

  it("proves so, for Node opens a port for a program that does not refuse it", async () => {
    const tenant = await start();
    const program = join(folder, "asks.mjs");
    writeFileSync(program, `setTimeout(() => fetch(${JSON.stringify(tenant.url)}), 500);`);
    expect(await socketsWhileRunning(tenant, [program])).toContain("listening");
  });
});

/**
 * The different kinds of sockets of a program while its first request is answered. Until then, signals ask it to open its debugger,
 * from the moment at which such a signal does not end it.
 */
async function socketsWhileRunning(tenant: Tenant, args: readonly string[], input = ""): Promise<string[]> {
  const child = spawn(process.execPath, args, { env: {} });
  const { pid = 0 } = child;
  const told = setInterval(() => hasHandler(pid) && child.kill("SIGUSR1"), 2);
  const sockets: string[] = [];
  const look = async (): Promise<void> => {
    // Longer than a debugger that was asked for before the process could refuse it may be open.
    await delay(250);
    clearInterval(told);
    sockets.push(...socketsOf(pid));
  };
  tenant.control.fault({ times: 1, effect: { kind: "run", run: look } });
  child.stdin.end(input);
  const exit = once(child, "close");
  await Promise.all([text(child.stdout), text(child.stderr)]);
  clearInterval(told);
  expect(await exit).toEqual([0, null]);
  return [...new Set(sockets)];
}

/** Whether the process has a handler for SIGUSR1 (number 10). Source: proc(5), SigCgt. */
function hasHandler(pid: number): boolean {
  const [, caught = "0"] = /^SigCgt:\s*([0-9a-f]+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return (BigInt(`0x${caught}`) & (1n << 9n)) !== 0n;
}

/** What the TCP sockets of a process are there for. */
function socketsOf(pid: number): string[] {
  const descriptors = readdirSync(`/proc/${pid}/fd`).map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`));
  const table = ["tcp", "tcp6"].flatMap((name) =>
    readFileSync(`/proc/net/${name}`, "utf8").trim().split("\n").slice(1),
  );
  return table.flatMap((line) => {
    const [, , , state, , , , , , inode = ""] = line.trim().split(/\s+/);
    if (!descriptors.includes(`socket:[${inode}]`)) return [];
    return [state === "0A" ? "listening" : "connected"];
  });
}

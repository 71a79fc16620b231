import { beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StdioServerTransport } from "@modelcontextprotocol/sdk/server/stdio.js";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { PassThrough, Writable } from "node:stream";
import type { Tenant } from "../../../sandbox/tenant/index.ts";
import { type CallHere, commandLineHere } from "../../support/command-line.ts";
import { skippingClock } from "../../support/fake-clock.ts";
import { builtNpmFolder } from "../../support/package.ts";
import { startTenant } from "../../support/tenant.ts";
import { profileFor } from "./mcp-client.ts";

/** Nobody waits for the rate limit. */
const clock = skippingClock();
let tenant: Tenant;
beforeAll(async () => {
  tenant = await startTenant({ clock, tokens: [{ id: randomUUID(), key: "c2VjcmV0LWtleS1vZi10aGUtdG9rZW4=" }] });
});
beforeEach(() => {
  tenant.control.clearFaults();
});

describe("the command mcp", () => {
  it.each([
    [["--server", "https://tenant.example.com"], 2, "mcp does not take --server"],
    [["--token-id", "00000000-0000-4000-8000-000000000000"], 2, "mcp does not take --token-id"],
    [["--bearer"], 2, "mcp does not take --bearer"],
    [[], 3, "No profile is named, and none is in use."],
  ])("explains that its credentials come from a profile: %j", async (args, code, said) => {
    const outcome = await commandLineHere(["mcp", ...args]);
    expect(outcome).toMatchObject({ code, out: "", error: expect.stringContaining(said) });
    expect(outcome.error).toContain("profile add <name>");
  });

  it("says at a terminal what it waits for", async () => {
    const stdin = Object.assign(new PassThrough(), { isTTY: true });
    stdin.end();
    const outcome = await commandLineHere(["mcp", "--profile", profileFor(tenant)], { stdin });
    expect(outcome).toMatchObject({ code: 0, out: "", error: expect.stringMatching(/^Waiting for an assistant on /) });
  });

  it("does not take a bearer token, which expires while it runs", async () => {
    const outcome = await commandLineHere(["mcp", "--profile", profileFor(tenant, { bearerToken: "t.t.t" })]);
    expect(outcome).toMatchObject({ code: 3, error: expect.stringContaining("The tools need an API token.") });
  });

  /** The command on pipes, with an assistant at their ends. */
  async function serving(args: readonly string[] = [], call: CallHere = {}) {
    const [stdin, stdout] = [new PassThrough(), new PassThrough()];
    const assistant = new Client({ name: "test", version: "1" });
    const started = commandLineHere(["mcp", "--profile", profileFor(tenant), ...args], {
      stdin,
      stdout,
      clock,
      ...call,
    });
    // Both sides of the protocol read and write lines.
    await assistant.connect(new StdioServerTransport(stdout, stdin));
    const ended = started.then(async (outcome) => {
      await assistant.close();
      return outcome;
    });
    return { stdin, ended, assistant };
  }

  it("ends when the assistant closes standard input", async () => {
    expect(await commandLineHere(["mcp", "--profile", profileFor(tenant)])).toEqual({ code: 0, out: "", error: "" });
  });

  it.each(["ends", "breaks off"])("answers on its pipes until standard input %s", async (how) => {
    const { stdin, ended, assistant } = await serving();
    expect(await assistant.callTool({ name: "ping" })).toMatchObject({ structuredContent: { status: "completed" } });
    if (how === "ends") stdin.end();
    else stdin.destroy();
    expect(await ended).toEqual({ code: 0, out: "", error: "" });
  });

  it("writes the key nowhere: not when it is called by it, nor when it reads it, nor to the log", async () => {
    const { stdin, ended, assistant } = await serving(["--verbose"]);
    stdin.write(`${tenant.tokenKey}\n`);
    await expect(assistant.callTool({ name: tenant.tokenKey })).rejects.toThrow("There is no tool named [redacted].");
    await assistant.callTool({ name: "ping" });
    stdin.end();
    const { code, error } = await ended;
    expect([code, error]).toEqual([0, expect.stringMatching(/^Unexpected token .* is not valid JSON$/m)]);
    expect(error).toMatch(/^debug: GET \/api\/v2\//m);
    expect(error).not.toContain(tenant.tokenKey);
  });

  it("ends when it is sent a message without an end, and says so", async () => {
    const { stdin, ended } = await serving();
    stdin.write(Buffer.alloc(10 * 1024 * 1024 + 1, "x"));
    expect(await ended).toMatchObject({ code: 0, error: expect.stringMatching(/^ReadBuffer exceeded maximum size/) });
  });

  it("sends nothing more once the assistant has closed standard input during a call", async () => {
    const { stdin, ended, assistant } = await serving();
    const run = () => {
      stdin.end();
    };
    tenant.control.fault({ path: "/available-types$", times: 1, effect: { kind: "run", run } });
    assistant.callTool({ name: "findings" }).catch(() => undefined);
    expect(await ended).toEqual({ code: 0, out: "", error: "" });
    const sent = tenant.requests.length;
    await commandLineHere(["ping", "--profile", profileFor(tenant)], { clock });
    expect(tenant.requests.slice(sent).map(({ path }) => path)).not.toContainEqual(expect.stringMatching(/details$/));
  });

  it("ends with 0 when it is asked to stop during a call", async () => {
    const signal = new AbortController();
    const { ended, assistant } = await serving([], { stop: signal.signal });
    const run = () => {
      signal.abort();
    };
    tenant.control.fault({ path: "/available-types$", times: 1, effect: { kind: "run", run } });
    assistant.callTool({ name: "findings" }).catch(() => undefined);
    expect(await ended).toEqual({ code: 0, out: "", error: "" });
  });

  it.each([
    ["that is full", "ENOSPC", 5, /^Error: Standard output cannot be written \(ENOSPC\)/],
    ["that nobody reads any more", "EPIPE", 0, /^$/],
  ])("ends when it has an output %s", async (_, code, expected, said) => {
    const stdout = new Writable({
      write: (_chunk, _encoding, done) => {
        done(Object.assign(new Error(code), { code }));
      },
    });
    const stdin = new PassThrough();
    const ended = commandLineHere(["mcp", "--profile", profileFor(tenant)], { stdin, stdout });
    stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" })}\n`);
    expect(await ended).toEqual({ code: expected, out: "", error: expect.stringMatching(said) });
  });

  it("serves an assistant from the built package, which holds the key in no argument", async () => {
    const program = join(await builtNpmFolder(), "cli.mjs");
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [program, "mcp", "--profile", profileFor(tenant)],
      stderr: "pipe",
    });
    const said: string[] = [];
    transport.stderr?.on("data", (chunk) => said.push(String(chunk)));
    const assistant = new Client({ name: "test", version: "1" });
    await assistant.connect(transport);
    expect(assistant.getInstructions()).toMatch(/Never follow instructions/);
    const answer = await assistant.callTool({ name: "findings", arguments: { limit: 1 } });
    expect(answer.structuredContent).toMatchObject({ findings: [{ severity: "critical" }] });
    expect(JSON.stringify(answer)).not.toContain(tenant.tokenKey);
    await assistant.close();
    expect(said.join("")).toBe("");
  });
});

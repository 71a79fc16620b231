import { execFile, spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { InstalledN8n } from "./install.ts";

const run = promisify(execFile);
const POLL_MS = 500;
const BOOT_MS = 180_000;
const EXECUTION_MS = 60_000;
const OWNER = { email: "owner@example.test", firstName: "Ada", lastName: "Owner", password: "Only-for-1-test" };

/** A running n8n with its owner signed in, and a database of its own. */
export class N8nHost {
  readonly #base: string;
  readonly #stop: () => Promise<void>;
  #cookie = "";

  private constructor(base: string, stop: () => Promise<void>) {
    this.#base = base;
    this.#stop = stop;
  }

  /** @param tarball - path of the package, which is installed as the guide says */
  static async start({ node, program }: InstalledN8n, tarball: string): Promise<N8nHost> {
    const folder = await mkdtemp(join(tmpdir(), "n8n-"));
    const nodes = join(folder, ".n8n/nodes");
    await mkdir(nodes, { recursive: true });
    await writeFile(join(nodes, "package.json"), '{ "private": true }');
    await run("npm", ["install", "--ignore-scripts", "--legacy-peer-deps", "--no-audit", tarball], { cwd: nodes });
    const [port, broker] = [await freePort(), await freePort()];
    const child = spawn(node, [program, "start"], {
      stdio: "ignore",
      env: {
        PATH: `${join(node, "..")}:${process.env["PATH"] ?? ""}`,
        N8N_USER_FOLDER: folder,
        N8N_PORT: String(port),
        N8N_LISTEN_ADDRESS: "127.0.0.1",
        N8N_RUNNERS_BROKER_PORT: String(broker),
        N8N_SECURE_COOKIE: "false",
        N8N_DIAGNOSTICS_ENABLED: "false",
        N8N_VERSION_NOTIFICATIONS_ENABLED: "false",
        N8N_TEMPLATES_ENABLED: "false",
        N8N_PERSONALIZATION_ENABLED: "false",
      },
    });
    const ended = new Promise((resolve) => child.once("exit", resolve));
    const host = new N8nHost(`http://127.0.0.1:${port}`, async () => {
      child.kill();
      await ended;
      await rm(folder, { recursive: true, force: true });
    });
    try {
      await host.#ready();
      await host.call("POST", "/rest/owner/setup", OWNER);
      return host;
    } catch (error) {
      await host.stop();
      throw error;
    }
  }

  /** The data of a response of n8n's own interface. */
  async call(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(this.#base + path, {
      method,
      headers: { "content-type": "application/json", "browser-id": "test", cookie: this.#cookie },
      ...(body && { body: JSON.stringify(body) }),
    });
    const cookies = response.headers.getSetCookie();
    if (cookies.length > 0) this.#cookie = cookies.map((cookie) => cookie.split(";")[0]).join("; ");
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    const parsed = JSON.parse(text) as { data?: unknown };
    return parsed.data ?? parsed;
  }

  /** Runs a workflow from its first node, as somebody does in the editor, and returns the status of the execution and its data as text. */
  async execute(workflow: object, start: string): Promise<{ status: string; data: string }> {
    const saved = (await this.call("POST", "/rest/workflows", workflow)) as { id: string };
    const body = { workflowData: saved, triggerToStartFrom: { name: start } };
    const begun = (await this.call("POST", `/rest/workflows/${saved.id}/run`, body)) as { executionId: string };
    const end = Date.now() + EXECUTION_MS;
    while (Date.now() < end) {
      await delay(POLL_MS);
      const found = await this.call("GET", `/rest/executions/${begun.executionId}`);
      const { status, data } = found as { status: string; data: string };
      if (["success", "error", "crashed", "canceled"].includes(status)) return { status, data };
    }
    throw new Error(`The execution did not end within ${EXECUTION_MS / 1000} s`);
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  async #ready(): Promise<void> {
    const end = Date.now() + BOOT_MS;
    while (Date.now() < end) {
      await delay(POLL_MS);
      // Also while the database is being made, n8n answers with a page.
      const settings = await this.call("GET", "/rest/settings").catch(() => null);
      if (settings !== null) return;
    }
    throw new Error(`n8n did not start within ${BOOT_MS / 1000} s`);
  }
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("No free port");
  return address.port;
}

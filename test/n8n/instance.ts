import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import type { InstalledN8n } from "./install.ts";

const run = promisify(execFile);
/** Where n8n looks for community packages. */
const NODES = ".n8n/nodes";
const RESTART_AFTER_MS = 1_000;
const QUIET = {
  N8N_DIAGNOSTICS_ENABLED: "false",
  N8N_VERSION_NOTIFICATIONS_ENABLED: "false",
  N8N_TEMPLATES_ENABLED: "false",
  N8N_PERSONALIZATION_ENABLED: "false",
};

/** How an n8n process is started. */
export interface InstanceOptions {
  installed: InstalledN8n;
  /** Path of the package. */
  tarball: string;
  /** What the process is to n8n, with its arguments. */
  args: readonly ["start"] | readonly ["worker", ...string[]];
  /** Variables beside those of every instance. */
  env?: Readonly<Record<string, string>>;
}

/** An n8n process with a folder of its own. It is started again when it ends, as a container platform does it. */
export class N8nInstance {
  /** The user folder, with the database if it is in a file. */
  readonly folder: string;
  /** Where main serves its pages. */
  readonly url: string;
  /** How often it ended without being told to. */
  crashes = 0;
  readonly #options: InstanceOptions;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | undefined;
  #log = "";

  private constructor(options: InstanceOptions, folder: string, ports: { main: number; broker: number }) {
    this.#options = options;
    this.folder = folder;
    this.url = `http://127.0.0.1:${ports.main}`;
    this.#env = {
      PATH: `${join(options.installed.node, "..")}:${process.env["PATH"] ?? ""}`,
      ...QUIET,
      N8N_USER_FOLDER: folder,
      N8N_PORT: String(ports.main),
      N8N_LISTEN_ADDRESS: "127.0.0.1",
      N8N_RUNNERS_BROKER_PORT: String(ports.broker),
      N8N_SECURE_COOKIE: "false",
      // The canary test searches what n8n writes.
      N8N_LOG_LEVEL: "debug",
      ...options.env,
    };
  }

  /** Installs the package as the guide says, and starts n8n. It is not yet ready. */
  static async start(options: InstanceOptions): Promise<N8nInstance> {
    const folder = await mkdtemp(join(tmpdir(), "n8n-"));
    const ports = { main: await freePort(), broker: await freePort() };
    const instance = new N8nInstance(options, folder, ports);
    await mkdir(join(folder, NODES), { recursive: true });
    await writeFile(join(folder, NODES, "package.json"), '{ "private": true }');
    await instance.install(options.tarball);
    instance.restart();
    return instance;
  }

  /** All that it has written. */
  get log(): string {
    return this.#log;
  }

  /** Installs a package, which the next start loads. */
  async install(tarball: string): Promise<void> {
    const options = ["--ignore-scripts", "--legacy-peer-deps", "--no-audit"];
    await run("npm", ["install", ...options, tarball], { cwd: join(this.folder, NODES) });
  }

  /**
   * Starts it after `halt`.
   *
   * @param aheadMs - how far its clock is ahead of the machine's
   */
  restart(aheadMs = 0): void {
    const { installed, args } = this.#options;
    const child = spawn(installed.node, [installed.program, ...args], {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...this.#env, ...(aheadMs > 0 && later(aheadMs)) },
      // A group of its own, so that its task runners die with it.
      detached: true,
    });
    this.#child = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => (this.#log += chunk.toString("utf8")));
    }
    child.once("exit", () => {
      if (this.#child !== child) return;
      this.crashes += 1;
      setTimeout(() => {
        if (this.#child === child) this.restart(aheadMs);
      }, RESTART_AFTER_MS);
    });
  }

  /** Ends it at once, without a word. It starts again. */
  kill(): void {
    if (this.#child?.pid === undefined || this.#child.exitCode !== null) return;
    try {
      process.kill(-this.#child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  }

  /** Runs a command of n8n on the same data. */
  async command(...args: string[]): Promise<void> {
    const { installed } = this.#options;
    const ports = { N8N_PORT: String(await freePort()), N8N_RUNNERS_BROKER_PORT: String(await freePort()) };
    await run(installed.node, [installed.program, ...args], { env: { ...this.#env, ...ports } });
  }

  /** Lets it end. */
  async halt(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child?.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, "exit");
    child.kill();
    await Promise.race([ended, delay(30_000, undefined, { ref: false })]);
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // Nothing of it is left.
    }
  }

  /** Lets it end, and removes its folder. */
  async stop(): Promise<void> {
    await this.halt();
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** A port of the loopback address that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("No free port");
  return address.port;
}

/** Variables that set the clock of a process forward. */
function later(byMs: number): NodeJS.ProcessEnv {
  const program = `
    const now = Date.now;
    Date.now = () => now() + ${byMs};
    globalThis.Date = new Proxy(Date, {
      construct: (target, args, made) => Reflect.construct(target, args.length === 0 ? [Date.now()] : args, made),
    });`;
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(program)}` };
}

import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readdirSync } from "node:fs";
import { chown, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { freePort } from "./instance.ts";
import { until } from "./until.ts";

const run = promisify(execFile);
const START_MS = 30_000;
const DEBIAN = "/usr/lib/postgresql";
const ARGS = { maxBuffer: 256 * 1024 * 1024 };

/** PostgreSQL and Redis from Debian's packages postgresql and redis-server, on free ports and in temporary folders. */
export class Services {
  readonly #ports: { postgres: number; redis: number };
  readonly #folder: string;
  readonly #children: readonly ChildProcess[];

  private constructor(ports: { postgres: number; redis: number }, folder: string, children: readonly ChildProcess[]) {
    this.#ports = ports;
    this.#folder = folder;
    this.#children = children;
  }

  /** @throws Error when a package is missing */
  static async start(): Promise<Services> {
    const bin = postgresPrograms();
    const folder = await mkdtemp(join(tmpdir(), "n8n-services-"));
    const ports = { postgres: await freePort(), redis: await freePort() };
    const user = postgresUser();
    if (user !== null) await chown(folder, user.uid, user.gid);
    const data = join(folder, "postgres");
    await run(join(bin, "initdb"), ["-D", data, "-U", "n8n", "-A", "trust", "--no-sync"], { ...user, cwd: folder });
    const postgres = ["-D", data, "-k", folder, "-h", "127.0.0.1", "-p", String(ports.postgres), "-F"];
    const redis = ["--port", String(ports.redis), "--bind", "127.0.0.1", "--dir", folder, "--save", ""];
    const options = { stdio: "ignore", cwd: folder, ...user } as const;
    const children = [spawn(join(bin, "postgres"), postgres, options), spawn("redis-server", redis, options)];
    const services = new Services(ports, folder, children);
    await until("PostgreSQL and Redis start", START_MS, () =>
      Promise.all([services.sql("select 1"), services.redis("ping")]).catch(() => null),
    );
    return services;
  }

  /** Variables that let n8n use them, in queue mode. */
  get env(): Record<string, string> {
    return {
      DB_TYPE: "postgresdb",
      DB_POSTGRESDB_HOST: "127.0.0.1",
      DB_POSTGRESDB_PORT: String(this.#ports.postgres),
      DB_POSTGRESDB_USER: "n8n",
      DB_POSTGRESDB_DATABASE: "postgres",
      EXECUTIONS_MODE: "queue",
      QUEUE_BULL_REDIS_HOST: "127.0.0.1",
      QUEUE_BULL_REDIS_PORT: String(this.#ports.redis),
    };
  }

  /** The rows of a query, with a bar between their columns. */
  async sql(statement: string): Promise<string[]> {
    const { stdout } = await run("psql", ["-X", "-At", ...this.#connection, "-c", statement], ARGS);
    return stdout.split("\n").filter((line) => line !== "");
  }

  /** The whole database as text. */
  async dump(): Promise<string> {
    return (await run("pg_dump", this.#connection, ARGS)).stdout;
  }

  /** Runs a command of Redis. */
  async redis(...command: string[]): Promise<string> {
    return (await run("redis-cli", ["-p", String(this.#ports.redis), ...command], ARGS)).stdout;
  }

  /** Where Redis keeps its dump after `save`. */
  get redisDump(): string {
    return join(this.#folder, "dump.rdb");
  }

  async stop(): Promise<void> {
    const ended = this.#children.map((child) => once(child, "exit"));
    for (const child of this.#children) child.kill("SIGINT");
    await Promise.all(ended);
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #connection(): string[] {
    return ["-h", "127.0.0.1", "-p", String(this.#ports.postgres), "-U", "n8n", "-d", "postgres"];
  }
}

function postgresPrograms(): string {
  try {
    const newest = readdirSync(DEBIAN).sort((one, other) => Number(other) - Number(one))[0] ?? "";
    execFileSync("redis-server", ["--version"]);
    return join(DEBIAN, newest, "bin");
  } catch {
    throw new Error("PostgreSQL or Redis is missing. Run: apt-get install postgresql redis-server");
  }
}

/** PostgreSQL refuses to run as root. Null when somebody else runs this. */
function postgresUser(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  const id = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

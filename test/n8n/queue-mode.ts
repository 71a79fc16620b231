import { randomBytes } from "node:crypto";
import type { Alert } from "../../src/runtime/protocol.ts";
import { StoredFindings } from "../support/stored-findings.ts";
import { N8nApi } from "./api.ts";
import type { InstalledN8n } from "./install.ts";
import { N8nInstance, type InstanceOptions } from "./instance.ts";
import { Services } from "./services.ts";
import { until } from "./until.ts";

const WORKERS = 2;
const READY_MS = 240_000;

/** n8n in queue mode: main, workers, PostgreSQL and Redis. */
export class QueueMode {
  readonly services: Services;
  readonly api: N8nApi;
  readonly main: N8nInstance;
  readonly workers: readonly N8nInstance[];
  /** The name of the Data Tables in the database, once they exist. */
  #tables = { alerts: "", checkpoints: "" };

  private constructor({ services, api, main, workers }: Pick<QueueMode, "services" | "api" | "main" | "workers">) {
    this.services = services;
    this.api = api;
    this.main = main;
    this.workers = workers;
  }

  static async start(installed: InstalledN8n, tarball: string): Promise<QueueMode> {
    const services = await Services.start();
    const instances: N8nInstance[] = [];
    const env = { ...services.env, N8N_ENCRYPTION_KEY: randomBytes(24).toString("hex") };
    const start = async (args: InstanceOptions["args"]): Promise<N8nInstance> => {
      const instance = await N8nInstance.start({ installed, tarball, args, env });
      instances.push(instance);
      return instance;
    };
    try {
      const main = await start(["start"]);
      const api = new N8nApi(main.url);
      // Main makes the tables that the workers need.
      await api.signUp();
      const workers = await Promise.all(Array.from({ length: WORKERS }, () => start(["worker", "--concurrency=5"])));
      await until("the workers start", READY_MS, () =>
        Promise.resolve(workers.every((worker) => starts(worker) === 1)),
      );
      return new QueueMode({ services, api, main, workers });
    } catch (error) {
      await stopAll(instances, services);
      throw error;
    }
  }

  get instances(): readonly N8nInstance[] {
    return [this.main, ...this.workers];
  }

  /** Waits until the example workflow has made its tables, and counts from then on which alerts arrive again. */
  async watchTables(): Promise<void> {
    const nameOf = (name: string) =>
      until("the workflow makes its tables", READY_MS, async () => {
        const [id] = await this.services.sql(`select id from data_table where name = '${name}'`);
        return id !== undefined && `data_table_user_${id}`;
      });
    this.#tables = {
      alerts: await nameOf("attack_path_alerts"),
      checkpoints: await nameOf("attack_path_checkpoints"),
    };
    await this.services.sql(`
      create table repeats (alert_id text);
      create function count_repeat() returns trigger language plpgsql as
        $$ begin insert into repeats values (new.alert_id); return new; end $$;
      create trigger repeat after update on "${this.#tables.alerts}" for each row execute function count_repeat();`);
  }

  /** The execution that runs; null without one. */
  async running(): Promise<{ id: string; start: number } | null> {
    const [row] = await this.services.sql(
      `select id, extract(epoch from "startedAt") from execution_entity
       where status = 'running' and "startedAt" > now() - interval '1 minute' order by id desc limit 1`,
    );
    const [id, start] = row?.split("|") ?? [];
    return id === undefined ? null : { id, start: Number(start) };
  }

  /** When the first execution ended well that started after a time, both in epoch seconds. */
  async successAfter(time: number): Promise<number | null> {
    const [end] = await this.services.sql(
      `select extract(epoch from "stoppedAt") from execution_entity
       where status = 'success' and "startedAt" > to_timestamp(${time}) order by id limit 1`,
    );
    return end === undefined ? null : Number(end);
  }

  async statusOf(execution: string): Promise<string> {
    const [status = ""] = await this.services.sql(`select status from execution_entity where id = ${execution}`);
    return status;
  }

  /** How long the executions took so far that ended well, on average. */
  async executionMs(): Promise<number> {
    const [seconds] = await this.services.sql(
      `select extract(epoch from avg("stoppedAt" - "startedAt")) from execution_entity where status = 'success'`,
    );
    return Number(seconds) * 1_000;
  }

  /** How many executions began while an older one was still running, and ended well. */
  async overlaps(): Promise<number> {
    const [count] = await this.services.sql(
      `select count(*) from execution_entity a join execution_entity b
       on b.id > a.id and b."startedAt" < a."stoppedAt" and b.status = 'success'`,
    );
    return Number(count);
  }

  /** What was stored since a time in epoch seconds. */
  async storedSince(time: number): Promise<{ alerts: number; checkpoint: boolean }> {
    const count = (table: string) => `(select count(*) from "${table}" where "updatedAt" >= to_timestamp(${time}))`;
    const [row = "0|0"] = await this.services.sql(
      `select ${count(this.#tables.alerts)}, ${count(this.#tables.checkpoints)}`,
    );
    const [alerts, checkpoints] = row.split("|").map(Number);
    return { alerts: alerts ?? 0, checkpoint: checkpoints !== 0 };
  }

  /** What has arrived in the table of alerts. */
  async arrived() {
    const rows = await this.services.sql(`select alert from "${this.#tables.alerts}" order by id`);
    const stored = new StoredFindings();
    for (const row of rows) stored.store(JSON.parse(row) as Alert);
    const [repeats] = await this.services.sql("select count(*) from repeats");
    const [rowsTwice] = await this.services.sql(
      `select count(*) - count(distinct alert_id) from "${this.#tables.alerts}"`,
    );
    return {
      stored,
      alerts: rows.length,
      rowsTwice: Number(rowsTwice),
      repeatedAlerts: Number(repeats),
      repeatedFindings: stored.repeated.length,
    };
  }

  /** The worker that took the newest execution. */
  busyWorker(): N8nInstance {
    const newest = ({ log }: N8nInstance): number =>
      Number([...log.slice(-100_000).matchAll(/Worker started execution (\d+)/g)].at(-1)?.[1] ?? 0);
    const [busiest = this.main] = [...this.workers].sort((one, other) => newest(other) - newest(one));
    return busiest;
  }

  async endDatabaseConnections(): Promise<void> {
    await this.services.sql(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()",
    );
  }

  async endRedisConnections(): Promise<void> {
    for (const type of ["normal", "pubsub"]) await this.services.redis("client", "kill", "type", type);
  }

  /** Installs another version of the package on main and the workers, and starts them with it. */
  async upgrade(tarball: string): Promise<void> {
    const before = this.workers.map(starts);
    for (const instance of this.instances) {
      await instance.halt();
      await instance.install(tarball);
      instance.restart();
    }
    await this.api.ready();
    const isUp = (): boolean => this.workers.every((worker, index) => starts(worker) > (before[index] ?? 0));
    await until("the workers start again", READY_MS, () => Promise.resolve(isUp()));
  }

  async stop(): Promise<void> {
    await stopAll(this.instances, this.services);
  }
}

/** How often a worker has become ready. */
function starts({ log }: N8nInstance): number {
  return log.split("n8n worker is now ready").length - 1;
}

async function stopAll(instances: readonly N8nInstance[], services: Services): Promise<void> {
  await Promise.all(instances.map((instance) => instance.stop()));
  await services.stop();
}

import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { join, resolve } from "node:path";
import type { Lap, TenantAddress, TenantCommand, TenantSettings } from "./tenant-messages.ts";

const rootDir = resolve(import.meta.dirname, "..");

/** A simulated tenant in another process. */
export class TenantProcess {
  readonly address: TenantAddress;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, address: TenantAddress) {
    this.#child = child;
    this.address = address;
  }

  static async start(settings: TenantSettings): Promise<TenantProcess> {
    const worker = join(rootDir, "bench", "tenant-worker.ts");
    const child = fork(worker, [JSON.stringify(settings)], { cwd: rootDir, execArgv: ["--import", "tsx"] });
    return new TenantProcess(child, (await answerOf(child)) as TenantAddress);
  }

  /** What the tenant saw since the last call. */
  async lap(): Promise<Lap> {
    return (await this.#ask("lap")) as Lap;
  }

  async close(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.send("close" satisfies TenantCommand);
    await ended;
  }

  #ask(command: TenantCommand): Promise<unknown> {
    const answer = answerOf(this.#child);
    this.#child.send(command);
    return answer;
  }
}

async function answerOf(child: ChildProcess): Promise<unknown> {
  const waiting = new AbortController();
  const ended = once(child, "exit", { signal: waiting.signal }).then(() => {
    throw new Error("The simulated tenant ended by itself.");
  });
  try {
    const [message] = (await Promise.race([once(child, "message", { signal: waiting.signal }), ended])) as [unknown];
    return message;
  } finally {
    ended.catch(() => undefined);
    waiting.abort();
  }
}

import { spawn } from "node:child_process";
import { once } from "node:events";
import { setTimeout as delay } from "node:timers/promises";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import type { Json, JsonObject, Message } from "../../src/runtime/protocol.ts";
import { applyMergePatch } from "../../sandbox/soar/merge-patch.ts";
import { AlertBook, connectorFields, connectorRequest } from "./host.ts";

/** When a host writes the state that travels with an alert. */
export type StateIsWritten = "with the alert" | "after the alert" | "before the alert" | "at the end" | "never";

/** When host and plugin die, whichever comes first; a run without any of them lives to its end. */
export interface Death {
  /** Bytes of the plugin's output that the host has read by then. */
  bytes?: number;
  alerts?: number;
  /** Milliseconds after the start. */
  ms?: number;
  /** The host was between writing the last alert and its state, one of which is not written. */
  between?: boolean;
}

export interface Life {
  /** Whether the host has taken the result. */
  ended: boolean;
  bytes: number;
}

const RUN = { maxEventsPerAlert: 4 };

/** A host in memory whose process, and that of the plugin, can be killed at any point of a run. */
export class CrashingHost {
  state: Json = null;
  readonly book = new AlertBook();
  readonly #plugin: string;
  readonly #fields: JsonObject;
  readonly #written: StateIsWritten;

  constructor(plugin: string, tenant: Tenant, written: StateIsWritten) {
    this.#plugin = plugin;
    this.#fields = connectorFields(tenant);
    this.#written = written;
  }

  async run(death: Death = {}): Promise<Life> {
    const child = spawn(process.execPath, [this.#plugin], { env: {}, stdio: ["pipe", "pipe", "ignore"] });
    const exit = once(child, "exit");
    // A killed process leaves its input unread.
    child.stdin.on("error", () => undefined);
    child.stdin.end(JSON.stringify(connectorRequest(this.#fields, this.state, RUN)));
    const timer = new AbortController();
    if (death.ms !== undefined) {
      delay(death.ms, undefined, { signal: timer.signal }).then(
        () => child.kill("SIGKILL"),
        () => undefined,
      );
    }
    const life = await this.#listen(child.stdout, death);
    timer.abort();
    if (!life.ended) child.kill("SIGKILL");
    await exit;
    return life;
  }

  async #listen(output: AsyncIterable<Buffer>, death: Death): Promise<Life> {
    const { bytes: most = Infinity, alerts = Infinity, between = false } = death;
    let [bytes, read, taken] = [0, "", 0];
    for await (const chunk of output) {
      const part = chunk.subarray(0, most - bytes);
      bytes += part.length;
      read += part.toString("latin1");
      const lines = read.split("\n");
      read = lines.pop() ?? "";
      for (const line of lines) {
        const message = JSON.parse(Buffer.from(line, "latin1").toString()) as Message;
        if (message.type === "alert") taken += 1;
        const dies = message.type === "alert" && taken >= alerts;
        this.#take(message, dies && between);
        if (dies || message.type === "result") return { ended: !dies, bytes };
      }
      if (bytes >= most) return { ended: false, bytes };
    }
    return { ended: false, bytes };
  }

  #take(message: Message, halved: boolean): void {
    if (message.type === "alert") {
      if (!(halved && this.#written === "before the alert")) this.book.store(message.alert);
      const patched = this.#written !== "never" && this.#written !== "at the end";
      if (patched && message.checkpoint !== undefined && !(halved && this.#written === "after the alert")) {
        this.state = applyMergePatch(this.state, message.checkpoint);
      }
    }
    if (message.type === "result" && message.checkpoint !== undefined && this.#written !== "never") {
      this.state = message.checkpoint;
    }
  }
}

import type { Alert, JsonObject } from "../runtime/protocol.ts";

export type Deliver = (alert: Alert, checkpoint?: JsonObject) => Promise<void>;

/** Alerts on their way to the host: handed over one after the other without waiting, then waited for together. */
export class Outbox {
  readonly #deliver: Deliver;
  #sent: Promise<unknown> = Promise.resolve();

  constructor(deliver: Deliver) {
    this.#deliver = deliver;
  }

  send(alert: Alert, checkpoint?: JsonObject): void {
    this.#sent = Promise.all([this.#sent, this.#deliver(alert, checkpoint)]);
    // Whoever waits next is told; until then nobody listens.
    this.#sent.catch(() => undefined);
  }

  /** Resolves when the host has room for more; rejects when it did not take an alert. */
  async emptied(): Promise<void> {
    await this.#sent;
  }
}

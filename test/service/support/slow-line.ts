import type http from "node:http";
import type { Transport } from "../../../src/service/connect.ts";
import { httpTransport } from "../../../src/service/http/http-transport.ts";
import { parseServerAddress } from "../../../src/service/http/server-address.ts";
import { type FakeClock, settle } from "../../support/fake-clock.ts";
import { startServer, type TestServer } from "../../support/raw-server.ts";

interface Pending {
  readonly response: http.ServerResponse;
  rest: Buffer;
}

export interface SlowLineOptions {
  readonly clock: FakeClock;
  readonly bytesPerSecond: number;
  /** How many findings each list has. */
  readonly findings: number;
  /** Characters of each finding, about. */
  readonly characters: number;
}

/**
 * A real server whose responses share one line: each second of the fake clock, it sends as many bytes as the line takes,
 * evenly to all responses that are on their way.
 */
export class SlowLine {
  readonly #options: SlowLineOptions;
  readonly #pending = new Set<Pending>();
  readonly #padding: string;
  #server: TestServer | null = null;
  #sent = 0;
  #received = 0;
  /** Most responses that were on their way at a time, since it was last set. */
  mostAtOnce = 0;
  /** How many bytes of bodies were sent. */
  get sent(): number {
    return this.#sent;
  }

  constructor(options: SlowLineOptions) {
    this.#options = options;
    this.#padding = "x".repeat(options.characters);
  }

  async start(): Promise<string> {
    this.#server = await startServer((request, response) => {
      const body = Buffer.from(
        JSON.stringify(this.#page(new URL(request.url ?? "", "http://tenant.test").searchParams)),
      );
      response.writeHead(200, { "content-type": "application/json", "content-length": body.length });
      response.flushHeaders();
      const pending = { response, rest: body };
      this.#pending.add(pending);
      this.mostAtOnce = Math.max(this.mostAtOnce, this.#pending.size);
      response.on("close", () => this.#pending.delete(pending));
    });
    return this.#server.url;
  }

  /** The limits that pages were asked for with, in order. */
  get limits(): number[] {
    return (this.#server?.requests ?? []).map(({ target }) => Number(/limit=(\d+)/.exec(target)?.[1]));
  }

  /** The network, which knows how much has arrived. */
  transport(): Transport {
    const inner = httpTransport(parseServerAddress(this.#server?.url ?? ""));
    return {
      send: (request) =>
        inner.send({
          ...request,
          onBody: (bytes) => {
            this.#received += bytes;
            request.onBody(bytes);
          },
        }),
      close: () => {
        inner.close();
      },
    };
  }

  /** Lets time pass until the work is done. */
  async carry<T>(work: Promise<T>): Promise<T> {
    const state = { done: false };
    const end = (): void => {
      state.done = true;
    };
    work.then(end, end);
    for (;;) {
      await this.#quiet();
      if (state.done) return work;
      this.#second();
    }
  }

  #second(): void {
    const share = Math.floor(this.#options.bytesPerSecond / Math.max(1, this.#pending.size));
    for (const pending of [...this.#pending]) {
      const piece = pending.rest.subarray(0, share);
      pending.rest = pending.rest.subarray(share);
      this.#sent += piece.length;
      if (pending.rest.length > 0) pending.response.write(piece);
      else {
        this.#pending.delete(pending);
        pending.response.end(piece);
      }
    }
    this.#options.clock.advance(1_000);
  }

  /** What was sent has arrived, and so have the requests that follow from it. What was cancelled on its way never does. */
  async #quiet(): Promise<void> {
    for (let turn = 0; turn < 5; turn++) {
      const { length } = this.#server?.requests ?? [];
      const arrived = this.#received;
      await settle();
      await settle();
      if (this.#received !== arrived || this.#server?.requests.length !== length) turn = -1;
    }
  }

  #page(query: URLSearchParams): unknown {
    const [skip, limit] = [Number(query.get("skip")), Number(query.get("limit"))];
    const ids = Array.from(
      { length: Math.max(0, Math.min(limit, this.#options.findings - skip)) },
      (_, index) => skip + index,
    );
    const data = ids.map((id) => ({ id, created_at: "2030-01-01T00:00:00Z", Principal: this.#padding }));
    return { count: this.#options.findings, data };
  }
}

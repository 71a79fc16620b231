import type { Clock } from "../../../src/clock.ts";
import type { LiveEvents } from "../../soar/index.ts";

/** Often enough that no middleman and no browser takes the stream for dead. */
const HEARTBEAT_MS = 15_000;
/** A page that reads no more, such as one in a sleeping tab, is let go; it asks again when it wakes. */
const MOST_UNREAD = 1_000;

/** Sends live events to every page that listens (server-sent events). */
export class Live {
  readonly #pages = new Set<ReadableStreamDefaultController<Uint8Array>>();
  readonly #stop = new AbortController();
  readonly #encoder = new TextEncoder();

  readonly #unhook: () => void;

  constructor(clock: Clock, events: LiveEvents) {
    this.#unhook = events.on((event) => {
      this.#send(`data: ${JSON.stringify(event)}\n\n`);
    });
    void this.#beat(clock);
  }

  /** A stream of all events from now on. */
  listen(): Response {
    let page: ReadableStreamDefaultController<Uint8Array>;
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => {
        page = controller;
        page.enqueue(this.#encoder.encode(": connected\n\n"));
        this.#pages.add(page);
      },
      cancel: () => void this.#pages.delete(page),
    });
    return new Response(stream, { headers: { "Content-Type": "text/event-stream" } });
  }

  /** Ends every stream. */
  close(): void {
    this.#stop.abort();
    this.#unhook();
    for (const page of this.#pages) page.close();
    this.#pages.clear();
  }

  async #beat(clock: Clock): Promise<void> {
    const { signal } = this.#stop;
    while (!signal.aborted) {
      await clock.sleep(HEARTBEAT_MS, signal).catch(() => undefined);
      this.#send(": still here\n\n");
    }
  }

  #send(message: string): void {
    const bytes = this.#encoder.encode(message);
    for (const page of this.#pages) {
      if ((page.desiredSize ?? 0) < -MOST_UNREAD) {
        this.#pages.delete(page);
        page.close();
      } else page.enqueue(bytes);
    }
  }
}

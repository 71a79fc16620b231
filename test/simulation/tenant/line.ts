import type { Process } from "../clock.ts";

/** How often a body that is on its way shows what has arrived. */
const STEP_MS = 500;

interface Transfer {
  left: number;
  readonly onBytes: (bytes: number) => void;
  readonly onEnd: () => void;
}

/** The line of one process: all bodies that are on their way have the same share of it. */
export class Line {
  readonly #process: Process;
  readonly #now: () => number;
  readonly #bytesPerMs: number;
  readonly #transfers = new Set<Transfer>();
  /** Up to when the bodies have been moved on. */
  #movedAt = 0;
  #cancel: (() => void) | null = null;

  constructor(process: Process, now: () => number, bytesPerSecond: number) {
    this.#process = process;
    this.#now = now;
    this.#bytesPerMs = bytesPerSecond / 1_000;
  }

  /** @returns takes the body off the line */
  carry(bytes: number, onBytes: Transfer["onBytes"], onEnd: Transfer["onEnd"]): () => void {
    this.#move();
    const transfer: Transfer = { left: bytes, onBytes, onEnd };
    this.#transfers.add(transfer);
    this.#wait();
    return () => {
      this.#move();
      this.#transfers.delete(transfer);
      this.#wait();
    };
  }

  /** Lets time pass since the last move: each body gets its share of what the line carried. */
  #move(): void {
    const now = this.#now();
    const share = ((now - this.#movedAt) * this.#bytesPerMs) / Math.max(1, this.#transfers.size);
    this.#movedAt = now;
    if (share === 0) return;
    for (const transfer of [...this.#transfers]) {
      const bytes = Math.min(share, transfer.left);
      transfer.left -= bytes;
      transfer.onBytes(bytes);
      if (transfer.left > 0) continue;
      this.#transfers.delete(transfer);
      transfer.onEnd();
    }
  }

  #wait(): void {
    this.#cancel?.();
    this.#cancel = null;
    if (this.#transfers.size === 0) return;
    const least = Math.min(...[...this.#transfers].map(({ left }) => left));
    const untilNext = Math.ceil((least * this.#transfers.size) / this.#bytesPerMs);
    this.#cancel = this.#process.after(Math.max(1, Math.min(STEP_MS, untilNext)), () => {
      this.#move();
      this.#wait();
    });
  }
}

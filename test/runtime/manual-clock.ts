import type { Clock } from "../../src/runtime/clock.ts";

interface Sleeper {
  at: number;
  wake: () => void;
}

/** A clock that stands still until a test moves it. */
export class ManualClock implements Clock {
  private time: number;
  private sleepers: Sleeper[] = [];

  constructor(time = Date.parse("2030-01-31T10:00:00Z")) {
    this.time = time;
  }

  now(): number {
    return this.time;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason as Error);
        return;
      }
      const sleeper: Sleeper = { at: this.time + ms, wake: resolve };
      this.sleepers.push(sleeper);
      signal?.addEventListener("abort", () => {
        this.sleepers = this.sleepers.filter((other) => other !== sleeper);
        reject(signal.reason as Error);
      });
    });
  }

  advance(ms: number): void {
    this.time += ms;
    const due = this.sleepers.filter((sleeper) => sleeper.at <= this.time);
    this.sleepers = this.sleepers.filter((sleeper) => sleeper.at > this.time);
    for (const sleeper of due) sleeper.wake();
  }
}

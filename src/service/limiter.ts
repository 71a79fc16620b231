import type { Clock } from "./clock.ts";

/** One second, and a little for clocks that round to milliseconds. */
const WINDOW_MS = 1_005;

interface Waiter {
  admit(): void;
  refuse(reason: Error): void;
}

/**
 * Lets at most `concurrent` requests run at a time and at most `perSecond` in any second, in the order in which they
 * asked. The service counts a request at some moment between its start and the head of its answer; so a request counts here
 * from its start until one second after that head. However long the network takes, the service never sees more than `perSecond`
 * in any second, and the first second may use all of them at once.
 */
export class Limiter {
  readonly #clock: Clock;
  readonly #concurrent: number;
  #perSecond: number;
  #running = 0;
  /** How many of them have no answer yet. */
  #unanswered = 0;
  /** When the requests of the last second were answered, oldest first. */
  #answered: number[] = [];
  #waiting: Waiter[] = [];
  #alarm: AbortController | null = null;
  #refusal: (() => Error) | null = null;

  constructor(options: { clock: Clock; perSecond: number; concurrent: number }) {
    this.#clock = options.clock;
    this.#perSecond = options.perSecond;
    this.#concurrent = options.concurrent;
  }

  /**
   * Runs the task when its turn has come; rejects when the signal aborts before that. The task may say when the head of
   * its answer has arrived: a long body then delays nobody's turn. Its end says so otherwise.
   */
  async run<T>(signal: AbortSignal, task: (onHead: () => void) => Promise<T>): Promise<T> {
    await this.#turn(signal);
    let answered = false;
    const onHead = () => {
      if (answered) return;
      answered = true;
      this.#unanswered--;
      this.#answered.push(this.#clock.now());
    };
    try {
      return await task(onHead);
    } finally {
      this.#running--;
      onHead();
      this.#admit();
    }
  }

  /** The service announced a lower limit; a higher one changes nothing. */
  slowTo(perSecond: number): void {
    this.#perSecond = Math.max(1, Math.min(this.#perSecond, Math.floor(perSecond)));
  }

  /** Refuses every request that waits and every later one. */
  refuse(reason: () => Error): void {
    this.#refusal ??= reason;
    this.#cancelAlarm();
    for (const waiter of this.#waiting.splice(0)) waiter.refuse(reason());
  }

  #turn(signal: AbortSignal): Promise<void> {
    if (this.#refusal) return Promise.reject(this.#refusal());
    if (signal.aborted) return Promise.reject(new Error("aborted while waiting"));
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        if (this.#waiting.length === 0) this.#cancelAlarm();
        reject(new Error("aborted while waiting"));
      };
      const waiter: Waiter = {
        admit: () => {
          signal.removeEventListener("abort", leave);
          resolve();
        },
        refuse: (reason) => {
          signal.removeEventListener("abort", leave);
          reject(reason);
        },
      };
      signal.addEventListener("abort", leave, { once: true });
      this.#waiting.push(waiter);
      this.#admit();
    });
  }

  #admit(): void {
    const now = this.#clock.now();
    this.#forget(now);
    while (this.#running < this.#concurrent && this.#unanswered + this.#answered.length < this.#perSecond) {
      const next = this.#waiting.shift();
      if (!next) return;
      this.#running++;
      this.#unanswered++;
      next.admit();
    }
    if (this.#waiting.length > 0 && this.#running < this.#concurrent) this.#setAlarm(now);
  }

  #forget(now: number): void {
    // A clock that was set back would make the last second endless.
    if ((this.#answered.at(-1) ?? now) > now) this.#answered.fill(now);
    const first = this.#answered.findIndex((moment) => now - moment < WINDOW_MS);
    this.#answered.splice(0, first === -1 ? this.#answered.length : first);
  }

  /** Wakes when the oldest answer is out of the window; without one, the next answer wakes. */
  #setAlarm(now: number): void {
    const oldest = this.#answered[0];
    if (oldest === undefined || this.#alarm) return;
    const alarm = new AbortController();
    this.#alarm = alarm;
    const wake = () => {
      if (this.#alarm !== alarm) return;
      this.#alarm = null;
      this.#admit();
    };
    this.#clock.sleep(oldest + WINDOW_MS - now, alarm.signal).then(wake, wake);
  }

  #cancelAlarm(): void {
    this.#alarm?.abort();
    this.#alarm = null;
  }
}

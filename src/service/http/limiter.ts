import type { Clock } from "../../clock.ts";

/** One second, and a little for clocks that round to milliseconds. */
const WINDOW_MS = 1_005;

/** How much longer a body may pause: between two parts of it, this process may be busy with what it received before. */
const PATIENCE_WITH_BODIES = 2;

/** Less of a body than this does not count as progress. Otherwise, a body that comes in drips would keep its place. */
const LEAST_PROGRESS_BYTES = 1_024;

export interface LimiterOptions {
  readonly clock: Clock;
  /** Most requests in any second. */
  readonly perSecond: number;
  /** Most requests at a time, without the slow ones. */
  readonly concurrent: number;
  /** Most requests at a time, all included. */
  readonly open: number;
  /**
   * A request without the head of a response for this long is slow: others may start before it ends. So is one whose body
   * has made no progress for twice as long.
   */
  readonly slowAfterMs: number;
  /** As long as this is true, each request waits until the one before has ended or is slow. Default: never. */
  readonly oneByOne?: () => boolean;
}

/** Connects an admitted request with the limiter. */
export interface Admission {
  /** To be called when the head of the response has arrived. The end of the request says so otherwise. */
  readonly onHead: () => void;
  /** To be called when a part of the body has arrived, with its length. */
  readonly onBody: (bytes: number) => void;
  /** Aborts when the request is given up because it holds up others. */
  readonly givenUp: AbortSignal;
}

interface Waiter {
  admit(): void;
  refuse(reason: Error): void;
}

interface Running {
  /** When it started or its response last made progress. */
  progressAt: number;
  answered: boolean;
  /** How much of the body has arrived since then. */
  bytes: number;
  readonly giveUp: AbortController;
}

/**
 * Admits requests in the order in which they ask, at most `perSecond` in any second.
 *
 * The service counts a request at some moment between its start and the head of its response. So a request counts here
 * from its start until one second after that head. However long the network takes, the service never sees more than
 * `perSecond` in any second, and the first second may use all of them at once.
 *
 * A slow request frees its place among the `concurrent` ones, so that a few that hang do not hold up the rest, before their
 * head or in the middle of their body. A body that keeps arriving is not slow, however long it takes: on a slow line, further
 * requests would only slow it down. When so many hang that no further one can be admitted, the slowest is given up.
 */
export class Limiter {
  readonly #clock: Clock;
  readonly #concurrent: number;
  readonly #open: number;
  readonly #slowAfterMs: number;
  readonly #oneByOne: () => boolean;
  #perSecond: number;
  #admitted = 0;
  readonly #running = new Set<Running>();
  /** When the requests of the last second were answered, oldest first. */
  #answered: number[] = [];
  #waiting: Waiter[] = [];
  #alarm: { at: number; cancel: AbortController } | null = null;
  #refusal: (() => Error) | null = null;

  constructor({ clock, perSecond, concurrent, open, slowAfterMs, oneByOne = () => false }: LimiterOptions) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#concurrent = concurrent;
    this.#open = open;
    this.#slowAfterMs = slowAfterMs;
    this.#oneByOne = oneByOne;
  }

  /** Runs the task when it is admitted; rejects when the signal aborts before that. */
  async run<T>(signal: AbortSignal, task: (admission: Admission) => Promise<T>): Promise<T> {
    const running = await this.#turn(signal);
    try {
      return await task({
        onHead: () => {
          this.#answer(running);
          this.#admit();
        },
        onBody: (bytes) => {
          running.bytes += bytes;
          if (running.bytes >= LEAST_PROGRESS_BYTES) this.#progress(running);
        },
        givenUp: running.giveUp.signal,
      });
    } finally {
      this.#answer(running);
      this.#running.delete(running);
      this.#admit();
    }
  }

  /** How many requests were admitted so far. */
  get admitted(): number {
    return this.#admitted;
  }

  /** Most requests in any second. */
  get perSecond(): number {
    return this.#perSecond;
  }

  /** Lowers the limit, for example to one that the service announced. A higher one changes nothing. */
  slowTo(perSecond: number): void {
    this.#perSecond = Math.max(1, Math.min(this.#perSecond, Math.floor(perSecond)));
  }

  /** Refuses every request that waits and every later one, until `resume`. */
  refuse(reason: () => Error): void {
    this.#refusal ??= reason;
    this.#cancelAlarm();
    for (const waiter of this.#waiting.splice(0)) waiter.refuse(reason());
  }

  /** Admits requests again after `refuse`. */
  resume(): void {
    this.#refusal = null;
  }

  #answer(running: Running): void {
    if (running.answered) return;
    running.answered = true;
    this.#answered.push(this.#clock.monotonic());
    this.#progress(running);
  }

  #progress(running: Running): void {
    running.progressAt = this.#clock.monotonic();
    running.bytes = 0;
  }

  #turn(signal: AbortSignal): Promise<Running> {
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
          const running = {
            progressAt: this.#clock.monotonic(),
            answered: false,
            bytes: 0,
            giveUp: new AbortController(),
          };
          this.#running.add(running);
          this.#admitted += 1;
          resolve(running);
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
    const now = this.#clock.monotonic();
    this.#forget(now);
    while (this.#waiting.length > 0 && this.#hasRoom(now)) this.#waiting.shift()?.admit();
    if (this.#waiting.length === 0) {
      this.#cancelAlarm();
      return;
    }
    this.#giveUpSlowest(now);
    this.#setAlarm(now);
  }

  #hasRoom(now: number): boolean {
    let unanswered = 0;
    let slow = 0;
    for (const running of this.#running) {
      if (!running.answered) unanswered++;
      if (now >= this.#slowAt(running)) slow++;
    }
    return (
      this.#running.size < this.#open &&
      this.#running.size - slow < this.#concurrent &&
      (this.#running.size === slow || !this.#oneByOne()) &&
      unanswered + this.#answered.length < this.#perSecond
    );
  }

  /** The requests that leave no room for another, the slowest first; empty when there is room. */
  #blocking(): Running[] {
    const slowestFirst = [...this.#running].sort((a, b) => this.#slowAt(a) - this.#slowAt(b));
    if (this.#running.size >= this.#open) return slowestFirst;
    const unanswered = slowestFirst.filter(({ answered }) => !answered);
    // Below `concurrent` it is the announced limit that makes others wait, not the number of slow requests.
    const most = Math.max(this.#perSecond, this.#concurrent);
    return unanswered.length >= most ? unanswered : [];
  }

  #giveUpSlowest(now: number): void {
    const blocking = this.#blocking();
    const [slowest] = blocking;
    if (slowest === undefined || now < this.#giveUpAt(slowest)) return;
    // One at a time: the one before may not have ended yet.
    if (!blocking.some(({ giveUp }) => giveUp.signal.aborted)) slowest.giveUp.abort();
  }

  #slowAt({ progressAt, answered }: Running): number {
    return progressAt + this.#slowAfterMs * (answered ? PATIENCE_WITH_BODIES : 1);
  }

  #giveUpAt(running: Running): number {
    return this.#slowAt(running) + this.#slowAfterMs;
  }

  #forget(now: number): void {
    const first = this.#answered.findIndex((moment) => now - moment < WINDOW_MS);
    this.#answered.splice(0, first === -1 ? this.#answered.length : first);
  }

  /**
   * Sets a timer for the next moment at which there may be room without anything else happening: a response leaves the
   * one-second window, a request becomes slow, or the slowest one is given up.
   */
  #setAlarm(now: number): void {
    const moments = [...this.#running].map((running) => this.#slowAt(running));
    const [oldest] = this.#answered;
    if (oldest !== undefined) moments.push(oldest + WINDOW_MS);
    const [slowest] = this.#blocking();
    if (slowest !== undefined) moments.push(this.#giveUpAt(slowest));
    const at = Math.min(...moments.filter((moment) => moment > now));
    if (at === Infinity || (this.#alarm !== null && this.#alarm.at <= at)) return;
    this.#cancelAlarm();
    const alarm = { at, cancel: new AbortController() };
    this.#alarm = alarm;
    const wake = () => {
      if (this.#alarm !== alarm) return;
      this.#alarm = null;
      this.#admit();
    };
    this.#clock.sleep(at - now, alarm.cancel.signal).then(wake, wake);
  }

  #cancelAlarm(): void {
    this.#alarm?.cancel.abort();
    this.#alarm = null;
  }
}

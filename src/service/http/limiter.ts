import type { Clock } from "../../clock.ts";
import { RateWindow } from "./rate-window.ts";
import { SharedLine } from "./shared-line.ts";

/** A request is taken to have reached the service by then. */
const LONGEST_WAY_MS = 5_000;

/** Less of a body than this does not count as progress. Otherwise, a body that comes in drips would keep its place. */
const LEAST_PROGRESS_BYTES = 1_024;

/**
 * A request without the head of a response for this long is slow: others may start before it ends. So is one whose body
 * has made no progress for twice as long.
 */
const SLOW_AFTER_MS = 1_000;

export interface LimiterOptions {
  readonly clock: Clock;
  /** Most requests in any second. */
  readonly perSecond: number;
  /** Most requests at a time, without the slow ones. */
  readonly concurrent: number;
  /** Most requests at a time, all included. */
  readonly open: number;
  /** As long as this is true, each request waits until the one before has ended or is slow. Default: never. */
  readonly oneByOne?: () => boolean;
}

/** Connects an admitted request with the limiter. */
export interface Admission {
  /**
   * To be called when the head of the response has arrived. The end of the request says so otherwise.
   *
   * @param isRefusal - whether the service asks for no further requests: none is admitted before this one has ended
   */
  readonly onHead: (isRefusal: boolean) => void;
  /** To be called when a part of the body has arrived, with its length. */
  readonly onBody: (bytes: number) => void;
  /** To be called when the body arrived too slowly to be waited for. */
  readonly onTrickle: () => void;
  /** Aborts when the request is given up because it holds up others. */
  readonly givenUp: AbortSignal;
}

interface Waiter {
  admit(): void;
  refuse(reason: Error): void;
}

interface Running {
  readonly sentAt: number;
  /** When it started or its response last made progress. */
  progressAt: number;
  answered: boolean;
  /** Whether no other may start before this one has ended. */
  isRefused: boolean;
  /** Whether the service has counted it: it has answered, or has had the request for long enough. */
  counted: boolean;
  /** See `SharedLine`. */
  readonly generation: number;
  /** How much of the body has arrived since then. */
  bytes: number;
  readonly giveUp: AbortController;
}

/**
 * Admits requests in the order in which they ask, at most `perSecond` in any second. With a quarter, it admits one
 * request in four seconds.
 *
 * The service counts a request when it arrives: at some moment between its start and the head of its response. So a request
 * counts here from its start until one second after that head. The service never sees more than `perSecond` in any second, and
 * the first second may use all of them at once. This assumes that a request is on its way for five seconds at most: one
 * without a head counts for no longer than that and a second, so those that hang do not block the others.
 *
 * A slow request frees its place among the `concurrent` ones, so that a few that hang do not hold up the rest, before their
 * head or in the middle of their body. A body that keeps arriving is not slow, however long it takes: on a slow line, further
 * requests would only slow it down. When all connections are in use, the slowest request is given up.
 *
 * A body that arrives too slowly to be waited for shows that the line is slow: for the next five minutes, half as many requests share
 * it, and their bodies may pause for twice as long. Each further one halves the number again, down to one.
 */
export class Limiter {
  readonly #clock: Clock;
  readonly #line: SharedLine;
  readonly #open: number;
  readonly #oneByOne: () => boolean;
  readonly #window: RateWindow;
  #admitted = 0;
  #heldBackMs = 0;
  /** Since when a request waits for the rate limit alone, by the monotonic clock; null when none does. */
  #heldSince: number | null = null;
  readonly #running = new Set<Running>();
  #waiting: Waiter[] = [];
  #alarm: { at: number; cancel: AbortController } | null = null;
  /** Until when, by the monotonic clock, no request is admitted. */
  #refusal: { readonly reason: Error; readonly until: number } | null = null;

  constructor({ clock, perSecond, concurrent, open, oneByOne = () => false }: LimiterOptions) {
    this.#clock = clock;
    this.#window = new RateWindow(perSecond);
    this.#line = new SharedLine(clock, concurrent);
    this.#open = open;
    this.#oneByOne = oneByOne;
  }

  /** Runs the task when it is admitted; rejects when the signal aborts before that. */
  async run<T>(signal: AbortSignal, task: (admission: Admission) => Promise<T>): Promise<T> {
    const running = await this.#turn(signal);
    try {
      return await task({
        onHead: (isRefusal) => {
          running.isRefused = isRefusal;
          this.#answer(running);
          this.#admit();
        },
        onBody: (bytes) => {
          running.bytes += bytes;
          if (running.bytes >= LEAST_PROGRESS_BYTES) this.#progress(running);
        },
        onTrickle: () => {
          this.#line.lower(running.generation);
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

  /** For how long requests have waited for the rate limit, in milliseconds. */
  get heldBackMs(): number {
    return this.#heldBackMs + (this.#heldSince === null ? 0 : this.#clock.monotonic() - this.#heldSince);
  }

  /** Most requests in any second. */
  get perSecond(): number {
    return this.#window.perSecond;
  }

  /** Whether the limit has been lowered. */
  get slowed(): boolean {
    return this.#window.slowed;
  }

  /** Lowers the limit, for example to one that the service announced. A higher one changes nothing. */
  slowTo(perSecond: number): void {
    this.#window.slowTo(perSecond);
  }

  /** Refuses every request that waits, and each that comes before this moment of the monotonic clock. */
  refuse(reason: Error, until: number): void {
    if (this.#refusal === null || until > this.#refusal.until) this.#refusal = { reason, until };
    this.#cancelAlarm();
    for (const waiter of this.#waiting.splice(0)) waiter.refuse(reason);
  }

  #answer(running: Running): void {
    if (running.answered) return;
    running.answered = true;
    this.#count(running, this.#clock.monotonic());
    this.#progress(running);
  }

  #count(running: Running, moment: number): void {
    if (running.counted) return;
    running.counted = true;
    this.#window.count(moment);
  }

  #progress(running: Running): void {
    running.progressAt = this.#clock.monotonic();
    running.bytes = 0;
  }

  #turn(signal: AbortSignal): Promise<Running> {
    if (this.#refusal !== null && this.#clock.monotonic() >= this.#refusal.until) this.#refusal = null;
    if (this.#refusal !== null) return Promise.reject(this.#refusal.reason);
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
          const now = this.#clock.monotonic();
          const running = {
            sentAt: now,
            progressAt: now,
            answered: false,
            isRefused: false,
            counted: false,
            generation: this.#line.generation,
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
    this.#line.recover(now);
    while (this.#waiting.length > 0 && this.#hasRoom(now)) this.#waiting.shift()?.admit();
    this.#heldBackMs = this.heldBackMs;
    this.#heldSince = this.#waiting.length > 0 && !this.#rateHasRoom() ? now : null;
    if (this.#waiting.length === 0) {
      this.#cancelAlarm();
      return;
    }
    this.#giveUpSlowest(now);
    this.#setAlarm(now);
  }

  #hasRoom(now: number): boolean {
    let slow = 0;
    for (const running of this.#running) {
      if (running.isRefused) return false;
      if (now >= this.#slowAt(running)) slow++;
    }
    return (
      this.#running.size < this.#open &&
      this.#running.size - slow < this.#line.mostAtOnce &&
      (this.#running.size === slow || !this.#oneByOne()) &&
      this.#rateHasRoom()
    );
  }

  #rateHasRoom(): boolean {
    let uncounted = 0;
    for (const running of this.#running) if (!running.counted) uncounted++;
    return this.#window.hasRoomBeside(uncounted);
  }

  /** The requests that leave no connection for another, the slowest first; empty when there is one. */
  #blocking(): Running[] {
    if (this.#running.size < this.#open) return [];
    return [...this.#running].sort((a, b) => this.#slowAt(a) - this.#slowAt(b));
  }

  #giveUpSlowest(now: number): void {
    const blocking = this.#blocking();
    const [slowest] = blocking;
    if (slowest === undefined || now < this.#giveUpAt(slowest)) return;
    // One at a time: the one before may not have ended yet.
    if (!blocking.some(({ giveUp }) => giveUp.signal.aborted)) slowest.giveUp.abort();
  }

  #slowAt({ progressAt, answered }: Running): number {
    return progressAt + SLOW_AFTER_MS * (answered ? this.#line.patience : 1);
  }

  #giveUpAt(running: Running): number {
    return this.#slowAt(running) + SLOW_AFTER_MS;
  }

  #forget(now: number): void {
    for (const running of this.#running) {
      const longest = running.sentAt + LONGEST_WAY_MS;
      if (now >= longest) this.#count(running, longest);
    }
    this.#window.forget(now);
  }

  /**
   * Sets a timer for the next moment at which there may be room without anything else happening: a request must have been
   * counted or leaves the one-second window, becomes slow, or is given up because it is the slowest.
   */
  #setAlarm(now: number): void {
    const running = [...this.#running];
    const moments = running.map((each) => this.#slowAt(each));
    moments.push(...running.flatMap(({ counted, sentAt }) => (counted ? [] : [sentAt + LONGEST_WAY_MS])));
    moments.push(...this.#window.ends);
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
    // Without a reason, the signal would make an error with a stack trace, which nobody reads.
    this.#alarm?.cancel.abort(null);
    this.#alarm = null;
  }
}

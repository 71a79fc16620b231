import { mix } from "./random.ts";

/** The plugin's only source of time and its only timer. */
export interface Clock {
  /** Epoch milliseconds. */
  now(): number;
  /** Milliseconds since some moment, by a clock that nobody sets. */
  monotonic(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

interface Timer {
  readonly at: number;
  /** Decides between timers of the same moment. */
  readonly lot: number;
  readonly action: () => void;
  cancelled: boolean;
}

/**
 * Virtual time in whole milliseconds since the scenario began. It stands still until nothing but timers is left to wait
 * for, and then jumps to the next timer. Timers of the same moment fire in an order that the seed decides.
 */
export class VirtualTime {
  #now = 0;
  /** Timers set at this moment. */
  #set = 0;
  readonly #seed: number;
  readonly #heap: Timer[] = [];

  constructor(seed: number) {
    this.#seed = seed;
  }

  get now(): number {
    return this.#now;
  }

  /** @returns cancels the timer */
  after(ms: number, action: () => void): () => void {
    const at = this.#now + Math.max(0, Math.trunc(ms));
    // Nothing that happened before has a say in the lot: a smaller scenario goes on as the larger one did.
    const lot = mix(this.#seed, this.#now, this.#set++);
    const timer: Timer = { at, lot, action, cancelled: false };
    push(this.#heap, timer);
    return () => {
      timer.cancelled = true;
    };
  }

  /** Fires the next timer; false when there is none. */
  step(): boolean {
    for (;;) {
      const timer = pop(this.#heap);
      if (timer === undefined) return false;
      if (timer.cancelled) continue;
      this.#moveTo(timer.at);
      timer.action();
      return true;
    }
  }

  /** Moves on while nothing happens; timers that are due on the way fire first. */
  skipTo(moment: number): void {
    for (let next = this.#heap[0]; next !== undefined && next.at <= moment; next = this.#heap[0]) this.step();
    this.#moveTo(Math.max(this.#now, moment));
  }

  #moveTo(moment: number): void {
    if (moment !== this.#now) this.#set = 0;
    this.#now = moment;
  }
}

function before(a: Timer, b: Timer): boolean {
  return a.at === b.at ? a.lot < b.lot : a.at < b.at;
}

function push(heap: Timer[], timer: Timer): void {
  let place = heap.push(timer) - 1;
  while (place > 0) {
    const parent = (place - 1) >> 1;
    if (!before(timer, heap[parent]!)) break;
    heap[place] = heap[parent]!;
    place = parent;
  }
  heap[place] = timer;
}

function pop(heap: Timer[]): Timer | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let place = 0;
  for (;;) {
    let child = 2 * place + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && before(heap[child + 1]!, heap[child]!)) child++;
    if (!before(heap[child]!, last)) break;
    heap[place] = heap[child]!;
    place = child;
  }
  heap[place] = last;
  return first;
}

/** What a process waits for: once it is killed, nothing of it happens any more. */
export class Process {
  readonly #time: VirtualTime;
  #alive = true;

  constructor(time: VirtualTime) {
    this.#time = time;
  }

  get alive(): boolean {
    return this.#alive;
  }

  kill(): void {
    this.#alive = false;
  }

  after(ms: number, action: () => void): () => void {
    return this.#time.after(ms, () => {
      if (this.#alive) action();
    });
  }

  /**
   * @param epochMs what the machine's clock shows at the beginning of the scenario
   * @param gained by how much it has been wrong since then, at a moment
   */
  clock(epochMs: number, gained: (moment: number) => number = () => 0): Clock {
    return {
      now: () => epochMs + this.#time.now + gained(this.#time.now),
      monotonic: () => this.#time.now,
      sleep: (ms, signal) => this.#sleep(ms, signal),
    };
  }

  /** Like the system's clock: nothing to wait for resolves at once, anything else takes at least a millisecond. */
  #sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    if (!(ms > 0)) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        cancel();
        reject(signal?.reason as Error);
      };
      const cancel = this.after(Math.max(1, ms), () => {
        signal?.removeEventListener("abort", abort);
        resolve();
      });
      signal?.addEventListener("abort", abort, { once: true });
    });
  }
}

const immediately = setImmediate;
const reallyLater = setTimeout;

/** Everything that needs no time has happened: promises, ticks and streams have nothing left to do. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    immediately(resolve);
  });
}

/** How often real time gets a chance before the simulation says that nothing is left to wait for. */
const CHANCES = 5;

/** @returns whether the work came to its end; false when it waits for something that never happens */
export async function drive(time: VirtualTime, work: Promise<unknown>, until = Infinity): Promise<boolean> {
  const state: { done: boolean } = { done: false };
  const isDone = (): boolean => state.done;
  const end = (): void => {
    state.done = true;
  };
  work.then(end, end);
  for (let chances = CHANCES; chances > 0;) {
    await settled();
    if (isDone()) return true;
    if (time.now > until) return false;
    if (time.step()) continue;
    // A module that is loaded for the first time comes from the disk, in real time.
    chances--;
    await new Promise((resolve) => reallyLater(resolve, 10));
  }
  return false;
}

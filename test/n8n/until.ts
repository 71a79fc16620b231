import { setTimeout as delay } from "node:timers/promises";

const POLL_MS = 250;

/** Asks until the answer is neither false nor null. */
export async function until<T>(what: string, ms: number, ask: () => Promise<T | false | null>): Promise<T> {
  const end = Date.now() + ms;
  while (Date.now() < end) {
    const answer = await ask();
    if (answer !== false && answer !== null) return answer;
    await delay(POLL_MS);
  }
  throw new Error(`Gave up after ${ms / 1000} s, waiting until ${what}`);
}

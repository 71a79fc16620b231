import type { FormerSize, ListSizes } from "../state/state.ts";
import { DAY_MS } from "../../clock.ts";
import { MASS_WINDOW_MS } from "./waits.ts";

/** What is known about the size of a list after a complete read. */
export function sizesAfter(before: ListSizes | undefined, current: number, now: number): ListSizes {
  const former = before === undefined ? [] : formerSizes(before, current, now);
  return { current, ...(former.length > 0 && { former }) };
}

function formerSizes(before: ListSizes, current: number, now: number): FormerSize[] {
  const former = recent(before, now).filter(({ size }) => size > current);
  if (before.current <= current) return former;
  const newest = former.at(-1);
  // An hourly job may see 200 steps. Of those of one day, the first size stands for all, until the last of them.
  return newest !== undefined && isSameDay(newest.until, now)
    ? [...former.slice(0, -1), { ...newest, until: now }]
    : [...former, { size: before.current, until: now }];
}

function recent({ former = [] }: ListSizes, now: number): FormerSize[] {
  return former.filter(({ until }) => now - until <= MASS_WINDOW_MS);
}

function isSameDay(a: number, b: number): boolean {
  return Math.floor(a / DAY_MS) === Math.floor(b / DAY_MS);
}

/** How many findings some lists had together, and how many fewer they have now, within the time in which a loss counts as one. */
export function lossOf(lists: readonly ListSizes[], now: number): { readonly had: number; readonly lost: number } {
  const largest = lists.map((list) => recent(list, now)[0]?.size ?? list.current);
  const had = sum(largest);
  return { had, lost: had - sum(lists.map(({ current }) => current)) };
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

import { optional, text, whole } from "./input.ts";
import { Refusal } from "./problems.ts";

/** The key of a case or an alert. */
export const KEY = whole(1, Number.MAX_SAFE_INTEGER);
export const CURSOR = optional(text);
export const LIMIT = optional(whole(1, 200));

/** A key in an address. What is no number leads to nothing. */
export function keyIn(path: string, what: string): number {
  if (!/^\d{1,15}$/.test(path)) throw new Refusal(404, `There is no ${what} "${path.slice(0, 40)}".`);
  return Number(path);
}

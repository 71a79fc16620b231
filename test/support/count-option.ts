import { InvalidArgumentError } from "commander";

/** A whole number that is not negative, as an option's value. */
export function count(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError("A whole number is expected.");
  return Number(text);
}

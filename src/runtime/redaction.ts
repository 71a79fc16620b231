import { redactorOf } from "../secrets.ts";
import type { Json } from "./protocol.ts";
import { mapTexts } from "./printable.ts";

/** Redacts the secrets of one run in everything that is written. */
export interface Redactor {
  text(text: string): string;
  /** Goes through every text and every key, however deep. */
  json<T extends Json>(value: T): T;
  /** Whether a secret is anywhere in it. */
  isIn(value: Json): boolean;
}

/** See `redactorOf` for the forms in which a secret is recognised. */
export function createRedactor(secrets: Iterable<string>): Redactor {
  const text = redactorOf(secrets);
  return {
    text,
    json: <T extends Json>(value: T) => mapTexts(value, text) as T,
    isIn(value) {
      const texts: string[] = [];
      mapTexts(value, (input) => {
        texts.push(input);
        return input;
      });
      return texts.some((input) => text(input) !== input);
    },
  };
}

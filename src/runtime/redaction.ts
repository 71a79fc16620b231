import type { Json } from "./protocol.ts";
import { mapTexts } from "./printable.ts";

export const REDACTED = "[redacted]";

/** Anything shorter cannot be a token key, and redacting it would garble unrelated text. */
const SHORTEST_SECRET = 8;

/** Redacts the secrets of one run in everything that is written. */
export interface Redactor {
  text(text: string): string;
  /** Goes through every text and every key, however deep. */
  json<T extends Json>(value: T): T;
}

/**
 * Knows each secret as it is and as it looks inside a URL, a JSON text, a field of CSV, XML, hexadecimal or base64 (both
 * alphabets, at any offset inside a longer base64 text).
 */
export function createRedactor(secrets: Iterable<string>): Redactor {
  const texts = [...secrets].flatMap((secret) => [secret, secret.trim()]);
  const forms = [...new Set(texts.flatMap(formsOf))].sort((a, b) => b.length - a.length);
  const shortest = forms.at(-1)?.length ?? Infinity;
  // A result may hold 100,000 texts, and few of them are long enough to hold a secret.
  const text = (input: string): string =>
    input.length < shortest
      ? input
      : forms.reduce((output, form) => (output.includes(form) ? output.replaceAll(form, REDACTED) : output), input);
  return { text, json: <T extends Json>(value: T) => mapTexts(value, text) as T };
}

function formsOf(secret: string): string[] {
  if (secret.length < SHORTEST_SECRET) return [];
  const json = JSON.stringify(secret).slice(1, -1);
  const bytes = Buffer.from(secret);
  const url = encodeURIComponent(bytes.toString());
  const xml = secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const hex = bytes.toString("hex");
  const base64 = [0, 1, 2].map((offset) => base64Core(bytes, offset));
  return [
    secret,
    json,
    JSON.stringify(json).slice(1, -1),
    // Other writers of JSON escape these as well.
    json.replaceAll("/", "\\/"),
    json.replaceAll("+", "\\u002B"),
    json.replaceAll("+", "\\u002b"),
    secret.replaceAll('"', '""'),
    xml,
    xml.replaceAll('"', "&quot;"),
    url,
    url.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase()),
    // A form escapes more characters, such as the tilde.
    new URLSearchParams({ "": secret }).toString().slice(1),
    encodeURI(bytes.toString()),
    hex,
    hex.toUpperCase(),
    ...base64,
    ...base64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_")),
  ];
}

/** The base64 digits that depend on the secret alone when it stands `offset` bytes after a multiple of three. */
function base64Core(secret: Buffer, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), secret]);
  const first = Math.ceil((offset * 8) / 6);
  const last = Math.floor((bytes.length * 8) / 6);
  return bytes.toString("base64").slice(first, last);
}

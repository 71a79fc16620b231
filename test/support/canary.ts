/** A token key made to be found again: with the characters that URLs, JSON, base64 and shells treat in their own ways. */
export const CANARY = 'canary/K3y+with="odd"&chars=%20 and-more\\0123456789==';

/** The same for a bearer token, which may hold fewer characters. */
export const BEARER_CANARY = "canary.K3y-with_few.chars~0123456789-and+more/==";

/** Every form of the canaries that a text holds: as it is, and as it looks in a URL, a JSON text, CSV, XML, hexadecimal or base64. */
export function tracesIn(content: Buffer | string): string[] {
  const text = content.toString("latin1");
  return forms.filter((form) => text.includes(form));
}

function formsOf(canary: string): string[] {
  const bytes = Buffer.from(canary);
  return [
    canary,
    encodeURIComponent(canary),
    new URLSearchParams([["", canary]]).toString().slice(1),
    JSON.stringify(canary).slice(1, -1),
    JSON.stringify(JSON.stringify(canary)).slice(3, -3),
    canary.replaceAll('"', '""'),
    canary.replaceAll("&", "&amp;"),
    canary.replaceAll("&", "&amp;").replaceAll('"', "&quot;"),
    bytes.toString("hex"),
    // At each of the three offsets that it may have inside a longer text.
    ...[0, 1, 2].map((offset) =>
      Buffer.concat([Buffer.alloc(offset), bytes])
        .toString("base64")
        .slice(offset === 0 ? 0 : offset + 1, -6),
    ),
    // A part of it, as a log that cuts long lines may leave behind.
    canary.slice(0, 16),
    canary.slice(-16),
  ];
}

const forms = [CANARY, BEARER_CANARY].flatMap(formsOf);

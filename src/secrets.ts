/** What stands where a secret was. */
export const REDACTED = "[redacted]";

/** Anything shorter cannot be a token key, and removing it would garble unrelated text. */
const SHORTEST_SECRET = 8;

/** So many backslashes may stand before a character: JSON inside JSON doubles them each time. */
const MOST_BACKSLASHES = 8;

const SHORT_FORMS: Readonly<Record<string, string>> = { "\n": "n", "\r": "r", "\t": "t" };

/** Of a longer secret, such as a bearer token, the beginning tells that it is one: a pattern for all of it could not be compiled. */
const LONGEST_BEGINNING = 128;
/** A rest that is no longer is known as it is. */
const LONGEST_REST = 4_000;
/** What may belong to the rest of it, however it is written. */
const REST = "[^\\s\"'<>(){},]*";

const ENTITIES: Readonly<Record<string, string>> = { "&": "amp", "<": "lt", ">": "gt", '"': "quot", "'": "apos" };

/** So much of each form is looked for at first: V8 takes 15 ms to compile the pattern of a whole key, and hardly a text holds one. */
const LOOKED_FOR = 4;

/**
 * Returns what takes secrets out of a text: as they are, and as they look inside a URL, a form, a JSON text, a field of CSV, XML,
 * hexadecimal or base64 (both alphabets, at any offset inside a longer base64 text). Padding at the end of a secret may be missing.
 */
export function redactorOf(secrets: Iterable<string>): (text: string) => string {
  const texts = [...new Set([...secrets].flatMap((secret) => [secret, secret.trim()]))]
    .filter(({ length }) => length >= SHORTEST_SECRET)
    .sort((a, b) => b.length - a.length);
  if (texts.length === 0) return (text) => text;
  const beginning = new RegExp(texts.flatMap((secret) => formsOf(secret, LOOKED_FOR)).join("|"));
  let whole: RegExp | undefined;
  return (text) => {
    if (!beginning.test(text)) return text;
    whole ??= new RegExp(texts.flatMap(patternsOf).join("|"), "g");
    return text.replace(whole, REDACTED);
  };
}

function patternsOf(secret: string): string[] {
  const [plain = "", ...others] = formsOf(secret, Infinity);
  if (secret.length <= LONGEST_BEGINNING) return [plain, ...others];
  const rest = secret.slice(LONGEST_BEGINNING);
  const isShort = rest.length <= LONGEST_REST;
  return [`${plain}(?:${isShort ? `${literal(rest)}|` : ""}${REST})`, ...others.map((form) => form + REST)];
}

/** As it is written, then in digits. @param most - characters, octets or digits that each pattern has */
function formsOf(secret: string, most: number): string[] {
  const known = secret.slice(0, LONGEST_BEGINNING);
  const bytes = Buffer.from(known);
  const base64 = [0, 1, 2].map((offset) => base64Core(bytes, offset));
  const inUrls = base64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"));
  const hex = anyCase(bytes.subarray(0, most).toString("hex"));
  return [writtenOf(known, most), hex, ...[...base64, ...inUrls].map((digits) => literal(digits.slice(0, most)))];
}

function writtenOf(secret: string, most: number): string {
  const padding = /={1,2}$/.exec(secret)?.[0].length ?? 0;
  // Backslashes that follow each other are one unit: each alone would match some of those of the next.
  const units = secret.match(/\\+|[^\\]/gu) ?? [];
  const optional = units.length - padding;
  return units
    .slice(0, most)
    .map((each, at) => unitOf(each) + (at < optional ? "" : "?"))
    .join("");
}

function unitOf(unit: string): string {
  if (!unit.startsWith("\\")) return characterOf(unit);
  return `(?:\\\\{${unit.length},${MOST_BACKSLASHES * unit.length}}|(?:%5[cC]){${unit.length}}|(?:&#(?:92|[xX]5[cC]);){${unit.length}})`;
}

/** A character as it is, or as something else than a plain text writes it. */
function characterOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  const units = character.split("").map((unit) => unit.charCodeAt(0).toString(16).padStart(4, "0"));
  const octets = Array.from(Buffer.from(character), (octet) => `%${anyCase(octet.toString(16).padStart(2, "0"))}`);
  const entity = ENTITIES[character];
  const shortForm = SHORT_FORMS[character];
  const forms = [
    asItIs(character),
    units.map((unit) => `\\\\{1,${MOST_BACKSLASHES}}u${anyCase(unit)}`).join(""),
    octets.join(""),
    `&#(?:0*${code}|[xX]0*${anyCase(code.toString(16))});`,
    ...(entity === undefined ? [] : [`&${entity};`]),
    ...(character === " " ? ["\\+"] : []),
    ...(shortForm === undefined ? [] : [`\\\\{1,${MOST_BACKSLASHES}}${shortForm}`]),
  ];
  return `(?:${forms.join("|")})`;
}

function asItIs(character: string): string {
  if (character === '"') return `(?:""|\\\\{0,${MOST_BACKSLASHES}}")`;
  if (character === "/") return `\\\\{0,${MOST_BACKSLASHES}}/`;
  return literal(character);
}

function anyCase(hex: string): string {
  return hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);
}

function literal(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

/** The base64 digits that depend on the secret alone when it stands `offset` bytes after a multiple of three. */
function base64Core(secret: Buffer, offset: number): string {
  const bytes = Buffer.concat([Buffer.alloc(offset), secret]);
  const first = Math.ceil((offset * 8) / 6);
  const last = Math.floor((bytes.length * 8) / 6);
  return bytes.toString("base64").slice(first, last);
}

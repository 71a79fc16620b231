import fc from "fast-check";
import { anyCharacter } from "../support/any-character.ts";

/** Changes the body of an answer: one that is no JSON is cut, filled or replaced like any text. */
export type Mutation = (body: string) => string;

const nested = (depth: number, open: string, close: string): string => `${open.repeat(depth)}1${close.repeat(depth)}`;

/** Deeper than any recursion gets. */
const DEEP = 20_000;

/** JSON texts of values that a service should not send at this place. */
const values = fc.oneof(
  { weight: 4, arbitrary: fc.json({ maxDepth: 3 }) },
  fc.constantFrom(
    ...["null", "true", "0", "-1", "1e400", "12345678901234567890", "0.1", '""', "[]", "{}", "[null]", "[[]]", '[""]'],
    ...[
      '{"valid":true}',
      '{"time":"x","valid":true}',
      '{"__proto__":{"polluted":1}}',
      '{"constructor":1}',
      '"\\u0000"',
    ],
    ...['"\\ud800"', '"9999-12-31T23:59:59.999999999Z"', '"0000-00-00T00:00:00Z"', '"../../etc/passwd"', '"\\u202e"'],
    JSON.stringify("x".repeat(200_000)),
    nested(DEEP, "[", "]"),
    nested(DEEP, '{"objectid":', "}"),
  ),
);

/** Another value in the place of one value, found by its number among all places. */
const replacement = fc.tuple(fc.nat(400), values).map(([at, json]): Mutation => (body) => {
  const value = parsed(body);
  if (value === undefined) return json;
  const places = placesIn(value);
  const place = places[at % places.length];
  return place === undefined ? json : JSON.stringify(put(value, place, MARK)).replaceAll(JSON.stringify(MARK), json);
});

const removal = fc.nat(400).map((at): Mutation => (body) => {
  const value = parsed(body);
  const places = value === undefined ? [] : placesIn(value).slice(1);
  const place = places[at % Math.max(1, places.length)];
  return place === undefined ? "" : JSON.stringify(put(value, place, undefined));
});

/** Bytes cut away, or put in, anywhere. */
const splice = fc
  .tuple(fc.double({ min: 0, max: 1, noNaN: true }), fc.nat(40), fc.string({ unit: anyCharacter, maxLength: 12 }))
  .map(([share, cut, filling]): Mutation => (body) => {
    const at = Math.floor(share * body.length);
    return body.slice(0, at) + filling + body.slice(at + cut);
  });

const other = fc.oneof(values, fc.string({ unit: anyCharacter })).map(
  (text): Mutation =>
    () =>
      text,
);

export const mutations: fc.Arbitrary<Mutation> = fc.oneof(
  { weight: 5, arbitrary: replacement },
  { weight: 2, arbitrary: removal },
  splice,
  other,
);

const MARK = "\u0001here\u0001";
type Place = readonly (string | number)[];

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Every place in a value, the whole first. */
function placesIn(value: unknown, at: Place = []): Place[] {
  if (typeof value !== "object" || value === null) return [at];
  const keys = Array.isArray(value) ? [...value.keys()] : Object.keys(value);
  return [at, ...keys.flatMap((key) => placesIn((value as Record<string | number, unknown>)[key], [...at, key]))];
}

function put(value: unknown, [key, ...rest]: Place, content: unknown): unknown {
  if (key === undefined) return content;
  const copy = Array.isArray(value) ? [...(value as unknown[])] : { ...(value as object) };
  const holder = copy as Record<string | number, unknown>;
  holder[key] = put(holder[key], rest, content);
  return copy;
}

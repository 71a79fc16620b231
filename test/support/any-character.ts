import fc from "fast-check";

const SURROGATES = { from: 0xd800, to: 0xdfff };
const MOST = 0x10ffff;
const COUNT = SURROGATES.to - SURROGATES.from + 1;

/** Any character, as the unit of `fc.string`. The library's own "binary" takes a second to list a million of them. */
export const anyCharacter = fc.nat(MOST - COUNT).map(
  (number) => String.fromCodePoint(number < SURROGATES.from ? number : number + COUNT),
  (character) => {
    const code = typeof character === "string" ? character.codePointAt(0) : undefined;
    if (code === undefined || String.fromCodePoint(code) !== character) throw new Error("This is not one character.");
    return code < SURROGATES.from ? code : code - COUNT;
  },
);

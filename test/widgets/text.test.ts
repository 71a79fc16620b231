import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { anyCharacter } from "../support/any-character.ts";
import { visible, words } from "../../widgets/shared/text.ts";

describe("a name", () => {
  it("shows what cannot be seen in it", () => {
    expect(visible("a\u0000b\u202Ec\u200Bd\ne")).toBe("a‹U+0000›b‹U+202E›c‹U+200B›d‹U+000A›e");
    // A mark that joins letters, a selector of variants, and a filler: browsers draw nothing for them.
    expect(visible("ADM\u034FIN\uFE0F\u3164")).toBe("ADM‹U+034F›IN‹U+FE0F›‹U+3164›");
  });

  it("never holds a character that cannot be seen, and is itself when it held none", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const shown = visible(text);
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u);
        if (!/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(text)) expect(shown).toBe(text);
      }),
    );
  });
});

describe("a key of the service", () => {
  it.each([
    ["adminRights", "Admin rights"],
    ["foreignGPOControllers", "Foreign GPO controllers"],
    ["outbound_object_control", "Outbound object control"],
    ["adcs-escalations", "ADCS escalations"],
    ["trusted-cas", "Trusted CAs"],
    ["rdpRights", "RDP rights"],
    ["gpos", "GPOs"],
    ["KeyReaders", "Key readers"],
    ["schlüssel <b>", "schlüssel <b>"],
  ])("%s reads %s", (key, expected) => {
    expect(words(key)).toBe(expected);
  });
});

import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { anyCharacter } from "../support/any-character.ts";
import { visible, words } from "../../widgets/shared/text.ts";

describe("a name", () => {
  it("shows what cannot be seen in it", () => {
    expect(visible("a\u0000b\u202Ec\u200Bd\ne")).toBe("a‹U+0000›b‹U+202E›c‹U+200B›d‹U+000A›e");
  });

  it("never holds a character that cannot be seen, and is itself when it held none", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const shown = visible(text);
        expect(shown).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
        if (!/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text)) expect(shown).toBe(text);
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

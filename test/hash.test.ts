import { expect, it } from "@jest/globals";
import { shortHash } from "../src/hash.ts";

/** SHA-256 of `abc` (FIPS 180-4 examples) in base64url. Stored states and ids compare with such hashes. */
const ABC = "ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0";

it("is the beginning of the SHA-256 in base64url", () => {
  expect([10, 27, 43].map((length) => shortHash("abc", length))).toEqual(
    [10, 27, 43].map((length) => ABC.slice(0, length)),
  );
});

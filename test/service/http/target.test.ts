import { describe, expect, it } from "@jest/globals";
import fc from "fast-check";
import { BadRequestError } from "../../../src/service/errors/errors.ts";
import { path, requestTarget } from "../../../src/service/http/target.ts";
import { anyCharacter } from "../../support/any-character.ts";

const wellFormed = fc.string({ unit: anyCharacter }).filter((text) => !/\p{Surrogate}/u.test(text));

describe("request targets", () => {
  it("hold only characters that nothing on the way rewrites, and give back every name and value", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(wellFormed, wellFormed)), (pairs) => {
        const target = requestTarget("", "/api/v2/search", pairs);
        expect(target).toMatch(/^\/api\/v2\/search(\?[A-Za-z0-9._~%=&-]*)?$/);
        const query = target.slice("/api/v2/search".length + 1);
        const read = query === "" ? [] : query.split("&").map((pair) => pair.split("=").map(decodeURIComponent));
        expect(read).toEqual(pairs);
      }),
    );
  });

  it("keep a path's segments apart, whatever an id holds", () => {
    fc.assert(
      fc.property(
        wellFormed.filter((id) => id !== ""),
        (id) => {
          const segments = path`/api/v2/domains/${id}/details`.split("/");
          expect(segments).toHaveLength(6);
          expect(decodeURIComponent(segments[4]!)).toBe(id);
        },
      ),
    );
  });

  it("keep the order of repeated names", () => {
    const query = [
      ["sort_by", "created_at"],
      ["sort_by", "id"],
      ["limit", 1000],
      ["counts", true],
    ] as const;
    expect(requestTarget("/tenant-a", "/x", query)).toBe(
      "/tenant-a/x?sort_by=created_at&sort_by=id&limit=1000&counts=true",
    );
  });

  it("encode a segment of dots, which would mean a folder", () => {
    expect(path`/api/v2/${".."}/${"."}/x`).toBe("/api/v2/%2E%2E/%2E/x");
    expect(path`/api/v2/${"a..b"}`).toBe("/api/v2/a..b");
  });

  it("replace half a surrogate pair, which has no bytes", () => {
    expect(requestTarget("", "/x", [["q", "a\uD800b"]])).toBe("/x?q=a%EF%BF%BDb");
  });

  it("refuse an empty id, which would be another operation", () => {
    expect(() => path`/api/v2/domains/${""}/details`).toThrow(BadRequestError);
  });
});

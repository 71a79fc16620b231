import { describe, expect, it } from "@jest/globals";
import { readFileSync } from "node:fs";
import { manifest } from "../../../src/generated/manifest.ts";
import { platformVersion, readChangelog, releaseNotes } from "../../../src/packaging/google-secops/release-notes.ts";

const changelog = `# Changelog

Text that is no change.

- Nor is this.

## [Unreleased]

### Added

- Not released yet.

## [1.1.0] - 2027-01-02

### Changed

- A **longer** entry
  in two lines.
* Another one.

### Removed

- An old thing.

## 1.0.0

### Added

- The first thing.
`;

describe("the release notes", () => {
  const releases = readChangelog(changelog);

  it("hold the released changes, oldest first, with the day in Unix seconds", () => {
    const notes = releaseNotes(releases, manifest) as Record<string, unknown>[];
    expect(
      notes.map((note) => [
        note["IntroducedInIntegrationVersion"],
        note["ChangeDescription"],
        note["New"],
        note["Removed"],
      ]),
    ).toEqual([
      [1, "The first thing.", true, false],
      [2, "A longer entry in two lines.", false, false],
      [2, "Another one.", false, false],
      [2, "An old thing.", false, true],
    ]);
    expect(notes.map((note) => note["PublishTime"])).toEqual([null, 1798848000, 1798848000, 1798848000]);
  });

  it("count releases for the platform", () => {
    expect(platformVersion(releases, { ...manifest, version: "1.1.0" })).toBe(2);
  });

  it("come from a changelog that names everything that the package holds", () => {
    const text = readFileSync("CHANGELOG.md", "utf8");
    const named = [...manifest.connectors, ...manifest.actions].map(({ name }) => name);
    const others = ["Widgets", "Ontology mapping", "visual family", "grouping rule", "Attack Path Triage"];
    expect([...named, ...others].filter((name) => !text.includes(name))).toEqual([]);
  });

  it("refuse a manifest whose version is not the newest release", () => {
    expect(() => platformVersion(releases, { ...manifest, version: "1.2.0" })).toThrow(
      "CHANGELOG.md: its newest release is 1.1.0; integration.json says 1.2.0.",
    );
    expect(() => platformVersion([], manifest)).toThrow("none");
  });
});

import { DateTime } from "luxon";
import type { Manifest } from "../../manifest/manifest.ts";

/** One version of the changelog. */
export interface Release {
  version: string;
  /** Unix seconds of the day's beginning in UTC; null when the heading has no date. */
  published: number | null;
  changes: { section: string; text: string }[];
}

const heading = /^## \[?(\d+\.\d+\.\d+)\]?(?:\(.*\))?(?:\s+[-–]\s+(\d{4}-\d{2}-\d{2}))?\s*$/;

/** Released versions of a changelog, newest first; what stands before the first of them is not released. */
export function readChangelog(changelog: string): Release[] {
  const releases: Release[] = [];
  let section = "";
  for (const line of changelog.split(/\r?\n/)) {
    const release = releases.at(-1);
    const found = heading.exec(line);
    if (found !== null) releases.push({ version: found[1] ?? "", published: secondsOf(found[2]), changes: [] });
    else if (release === undefined) continue;
    else if (line.startsWith("### ")) section = line.slice(4).trim();
    else if (/^[-*] /.test(line)) release.changes.push({ section, text: line.slice(2).trim() });
    else if (/^\s+\S/.test(line)) continueLast(release, line.trim());
  }
  return releases;
}

/** A list item may go on in the next, indented line. */
function continueLast(release: Release, text: string): void {
  const last = release.changes.at(-1);
  if (last !== undefined) last.text = `${last.text} ${text}`;
}

/** The platform shows release notes as they are, with every character of markdown. */
function plain(text: string): string {
  return text.replace(/\*\*|`/g, "");
}

function secondsOf(date: string | undefined): number | null {
  return date === undefined ? null : DateTime.fromISO(date, { zone: "utc" }).toUnixInteger();
}

/**
 * The platform's version of the manifest's release: it counts releases, 1 for the first.
 *
 * @throws Error when the changelog's newest release is not the manifest's version
 */
export function platformVersion(releases: readonly Release[], { version }: Manifest): number {
  const newest = releases[0]?.version;
  if (newest !== version) {
    throw new Error(`CHANGELOG.md: its newest release is ${newest ?? "none"}; integration.json says ${version}.`);
  }
  return releases.length;
}

/** `RN.json`: one entry for each change, oldest release first. */
export function releaseNotes(releases: readonly Release[], manifest: Manifest): object[] {
  return [...releases].reverse().flatMap(({ changes, published }, index) =>
    changes.map(({ section, text }) => ({
      ChangeDescription: plain(text),
      Deprecated: section === "Deprecated",
      New: section === "Added",
      ItemName: manifest.name,
      ItemType: "Integration",
      PublishTime: published,
      Regressive: false,
      Removed: section === "Removed",
      TicketNumber: null,
      IntroducedInIntegrationVersion: index + 1,
    })),
  );
}

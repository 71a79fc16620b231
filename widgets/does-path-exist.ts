import { drawnPath } from "./paths/drawn-path.ts";
import { hopComparison } from "./paths/hop-comparison.ts";
import {
  badges,
  byUrgency,
  endsInTierZero,
  isAttackPath,
  lookOf,
  nameOf,
  type PathEntry,
  readEntry,
} from "./paths/path-entry.ts";
import { pathText } from "./paths/path-text.ts";
import { relationMeanings } from "./paths/relations.ts";
import { browse } from "./shared/browse.ts";
import { copyButton } from "./shared/copy.ts";
import { disclosure } from "./shared/disclosure.ts";
import { badge, type Child, element, foreign, glyph, kindIcon, unseen } from "./shared/dom.ts";
import { notice, reasonsNotice } from "./shared/notice.ts";
import { count, type Fields, fields, items, text } from "./shared/read.ts";
import { serviceLink } from "./shared/link.ts";
import { counted, integer } from "./shared/text.ts";
import { heading, startWidget } from "./shared/widget.ts";
import "./paths/paths.css";

startWidget((result) => {
  const entries = items(result["paths"]).map(readEntry).sort(byUrgency);
  const [only] = entries;
  const distance = distances(fields(result["nearTierZero"]));
  const remaining = count(result["remaining"]) ?? 0;
  if (only === undefined) {
    const goesOn = remaining > 0 ? notice("In progress: the next run goes on") : null;
    return distance === null ? null : [heading(NEARNESS, []), goesOn, distance];
  }
  const unfinished = [distance, progress(remaining)];
  // Findings that could not be checked, or starts of which nothing is known, have no entry.
  const isUnknown = result["exists"] === null;
  // A start that is in Tier Zero itself needs no path.
  const closed = isUnknown
    ? titles.unanswered
    : distance !== null && result["exists"] === true
      ? NEARNESS
      : titles.closed;
  const drawn = entries.length === 1 ? onePair(only, closed) : severalPairs(entries, closed);
  const lost = unlisted(count(fields(result["summary"])["unanswered"]) ?? 0, entries);
  return [...unfinished, lost, ...drawn, ...relationMeanings(items(result["relations"]))];
});

/** How near each start is to Tier Zero, when that was the question. */
function distances(nearness: Fields): HTMLElement | null {
  const starts = items(nearness["starts"]);
  if (starts.length === 0) return null;
  const lines = starts.map((start) => {
    const hops = count(start["hops"]);
    const look = hops !== null ? "danger" : start["exists"] === false ? "good" : "warning";
    const words = hops === null ? (start["exists"] === false ? "No path found" : "Not known") : hopsText(hops);
    const error = text(start["error"]);
    return element(
      "li",
      null,
      ...[badge(words, look), " ", foreign(text(start["text"]) ?? "", "text")],
      error === null ? null : element("p", { class: "note" }, foreign(error, "reason")),
    );
  });
  return element("ul", { class: "distances", "aria-label": NEARNESS }, ...lines);
}

/** Findings of the alert that the result says are not answered, and of which it has no entry. */
function unlisted(unanswered: number, entries: readonly PathEntry[]): HTMLElement | null {
  const more = unanswered - entries.filter(({ verdict }) => verdict === "unanswered").length;
  if (more <= 0) return null;
  const why = "The platform has not kept both ends of their paths.";
  return notice(`${counted(more, "more finding")} of the alert could not be checked`, element("p", null, why));
}

function hopsText(hops: number): string {
  return hops === 0 ? "In Tier Zero" : counted(hops, "hop");
}

const NEARNESS = "Distance to Tier Zero";
const titles = { open: "Attack path found", closed: "No attack path", unanswered: "Not answered" } as const;

/** @param closed - the title when no path is open */
function titleOf(entry: PathEntry, closed: string): string {
  const { verdict, length } = entry;
  if (verdict === "closed") return closed;
  if (verdict !== "open" || isAttackPath(entry)) return titles[verdict];
  return length === 0 ? "Start and end are the same object" : "Relationship found, no attack path";
}

function onePair(entry: PathEntry, closed: string): Child[] {
  return [heading(titleOf(entry, closed), badges(entry), actions(entry)), ...details(entry, "h2")];
}

function severalPairs(entries: readonly PathEntry[], closed: string): Child[] {
  const open = entries.filter(({ verdict }) => verdict === "open");
  const unanswered = entries.flatMap(({ error }) => error ?? []);
  const groups = {
    open: { label: "open", look: lookOf.open },
    unanswered: { label: "not answered", look: lookOf.unanswered },
    closed: { label: "closed", look: lookOf.closed },
  };
  const { summary, list } = browse(
    ["pair", "pairs"],
    groups,
    entries.map((entry, index) => ({
      group: entry.verdict,
      words: [entry.status, ...[entry.start, entry.end].flatMap(wordsOf)],
      draw: () => pair(entry, index === 0 && entry.verdict === "open"),
    })),
  );
  // Several findings may be about the same two objects.
  const attackPaths = new Set(
    open.filter(isAttackPath).map(({ start, end }) => [start, end].flatMap(wordsOf).join("\n")),
  );
  const worst = entries.find(({ length }) => length !== 0) ?? entries[0];
  const title =
    attackPaths.size > 0
      ? `${counted(attackPaths.size, "attack path")} found`
      : worst === undefined
        ? closed
        : titleOf(worst, closed);
  const copyAll = open.length > 1 ? copyButton("Copy open paths", () => open.map(pathText).join("\n\n")) : [];
  const missing = `${integer(unanswered.length)} of ${counted(entries.length, "pair")} could not be checked`;
  return [heading(title, [summary], copyAll), reasonsNotice(missing, unanswered), ...list];
}

function progress(remaining: number): HTMLElement | null {
  if (remaining <= 0) return null;
  return notice(`In progress: the next run checks ${counted(remaining, "more pair")}`);
}

function wordsOf(object: Fields): (string | null)[] {
  return [text(object["name"]), text(object["objectId"]), text(object["kind"])];
}

function pair(entry: PathEntry, open: boolean): HTMLElement {
  const end = (object: Fields, before: Child = null): HTMLElement =>
    element("span", { class: "end" }, before, kindIcon(text(object["kind"])), foreign(nameOf(object)));
  const towards = element("span", { class: "towards" }, glyph("to"), unseen(" to "));
  const label = element("span", { class: "ends" }, end(entry.start), end(entry.end, towards));
  const state = element("span", { class: "tags" }, ...badges(entry));
  const urgent = isAttackPath(entry) && endsInTierZero(entry) ? " urgent" : "";
  return element(
    "li",
    { class: `entry ${lookOf[entry.verdict]}${urgent}` },
    ...disclosure(
      "h2",
      [label, state],
      () => [...details(entry, "h3"), element("div", { class: "actions" }, ...actions(entry))],
      open,
    ),
  );
}

function actions(entry: PathEntry): Child[] {
  const copy = entry.verdict === "open" ? copyButton("Copy path", () => pathText(entry)) : [];
  return [...copy, serviceLink(entry.url)];
}

function details(entry: PathEntry, tag: "h2" | "h3"): Child[] {
  return [explanation(entry), ...drawnPath(entry), ...hopComparison(entry, tag)];
}

function explanation({ verdict, error, length, truncated, hops, givesControl }: PathEntry): HTMLElement | null {
  if (verdict === "unanswered") return element("p", { class: "error" }, error);
  if (verdict === "closed") {
    return element(
      "p",
      { class: "note" },
      "Both objects are known, and no attack path leads from the start to the end.",
    );
  }
  if (length === 0) return element("p", { class: "note" }, "A path from an object to itself has no hops.");
  if (!givesControl) {
    return element(
      "p",
      { class: "note" },
      "Only a relationship that gives no control by itself joins the objects of the finding. A finding about another relationship is fixed.",
    );
  }
  return truncated && hops.length === 0
    ? element(
        "p",
        { class: "note" },
        "The hops were left out because there are too many. The page of the service shows them.",
      )
    : null;
}

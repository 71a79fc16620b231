import { browse } from "./shared/browse.ts";
import { copyButton } from "./shared/copy.ts";
import { badge, type Child, element, foreign, kindIcon } from "./shared/dom.ts";
import { growing } from "./shared/growing-list.ts";
import { notice, reasonsNotice } from "./shared/notice.ts";
import { count, type Fields, items, text } from "./shared/read.ts";
import { serviceLink } from "./shared/link.ts";
import { counted, integer, visible } from "./shared/text.ts";
import { heading, startWidget } from "./shared/widget.ts";
import "./objects.css";

const FIRST_CANDIDATES = 3;
const MORE_CANDIDATES = 25;

const SHORTENED =
  "There are more matches. They are left out, because the result would be too large. Look up fewer names at once.";

/** In the order of the list: what needs a decision first. */
const statuses = {
  ambiguous: { label: "ambiguous", badge: "Ambiguous", look: "warning", candidates: "Matches" },
  not_found: { label: "not found", badge: "Not found", look: "warning", candidates: "Similar names" },
  failed: { label: "failed", badge: "Failed", look: "danger", candidates: "Matches" },
  found: { label: "found", badge: "Found", look: "good", candidates: "Other matches" },
} as const;

type Status = keyof typeof statuses;
const order = Object.keys(statuses);

startWidget((result) => {
  const objects = items(result["objects"])
    .map((object) => ({ object, status: statusOf(object) }))
    .sort((a, b) => order.indexOf(a.status) - order.indexOf(b.status));
  if (objects.length === 0) return null;
  const { summary, list } = browse(
    ["name", "names"],
    statuses,
    objects.map(({ object, status }) => ({
      group: status,
      words: ["name", "fullName", "objectId", "type"].map((field) => text(object[field])),
      draw: () => entry(object, status),
    })),
  );
  const failed = objects.filter(({ status }) => status === "failed").map(({ object }) => reasonOf(object));
  const ids = objects.flatMap(({ object, status }) => (status === "found" ? (text(object["objectId"]) ?? []) : []));
  const copy = ids.length > 1 ? copyButton("Copy object ids", () => ids.map(visible).join(", ")) : [];
  const remaining = count(result["remaining"]) ?? 0;
  return [
    remaining > 0 ? notice(`In progress: the next run looks up ${counted(remaining, "more name")}`) : null,
    heading(counted(objects.length, "name"), [summary], copy),
    reasonsNotice(`${integer(failed.length)} of ${counted(objects.length, "name")} could not be looked up`, failed),
    ...list,
  ];
});

function statusOf({ status }: Fields): Status {
  const known = text(status);
  return known !== null && isStatus(known) ? known : "failed";
}

function isStatus(status: string): status is Status {
  return Object.hasOwn(statuses, status);
}

function reasonOf(object: Fields): string {
  return text(object["error"]) ?? "The name could not be looked up.";
}

function entry(object: Fields, status: Status): HTMLElement {
  const { badge: label, look, candidates } = statuses[status];
  const [kind, objectId] = [text(object["type"]), text(object["objectId"])];
  const fullName = text(object["fullName"]);
  const matches = items(object["candidates"]);
  const isShortened = object["truncated"] === true;
  return element(
    "li",
    { class: `entry object ${look}` },
    element(
      "div",
      { class: "object-head" },
      kind === null ? null : kindIcon(kind),
      element("h2", null, foreign(text(object["name"]) ?? "no name")),
      kind === null ? null : foreign(kind, "kind"),
      badge(label, look),
    ),
    fullName === null ? null : element("p", { class: "note" }, "Full name: ", foreign(fullName)),
    objectId === null ? null : identity(objectId, object["url"]),
    status === "failed" ? element("p", { class: "error" }, reasonOf(object)) : null,
    status === "not_found" && matches.length === 0 && !isShortened
      ? element(
          "p",
          { class: "note" },
          "The service has no object with this name or a similar one, or the token may not see it.",
        )
      : null,
    ...candidateList(candidates, matches),
    isShortened ? element("p", { class: "note" }, SHORTENED) : null,
  );
}

function identity(objectId: string, url: unknown): HTMLElement {
  return element(
    "div",
    { class: "actions" },
    foreign(objectId, "id"),
    ...copyButton("Copy", () => visible(objectId)),
    serviceLink(url),
  );
}

function candidateList(title: string, candidates: readonly Fields[]): Child[] {
  if (candidates.length === 0) return [];
  const draw = (candidate: Fields): HTMLElement =>
    element(
      "li",
      null,
      kindIcon(text(candidate["type"])),
      foreign(text(candidate["name"]) ?? "no name"),
      foreign(text(candidate["objectId"]) ?? "no id", "id"),
      foreign(text(candidate["type"]) ?? "unknown kind", "kind"),
    );
  return [
    element("p", { class: "candidates-title" }, title),
    ...growing(candidates, {
      look: "candidates",
      label: title,
      noun: ["match", "matches"],
      first: FIRST_CANDIDATES,
      step: MORE_CANDIDATES,
      draw,
    }),
  ];
}

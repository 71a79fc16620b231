import { atMost, badge, element, foreign, kindIcon } from "./shared/dom.ts";
import { count, type Fields, fields, items, text } from "./shared/read.ts";
import { counted, integer, words } from "./shared/text.ts";
import { startWidget } from "./shared/widget.ts";

const MOST_ASSETS = 100;
const UNKNOWN = "The service did not return this count.";

/** Properties of the service that change what an analyst does next, when they are true. */
const flags: Readonly<Record<string, string>> = {
  hasspn: "Has an SPN",
  dontreqpreauth: "No Kerberos pre-authentication",
  unconstraineddelegation: "Unconstrained delegation",
  trustedtoauth: "Trusted to authenticate",
  passwordnotreqd: "No password required",
  pwdneverexpires: "Password never expires",
};

/** Properties that the service gives in seconds since 1970; 0 and -1 mean never. */
const instants = new Set(["lastlogon", "lastlogontimestamp", "pwdlastset", "whencreated"]);

startWidget((result) => {
  const assets = items(result["assets"]);
  if (assets.length === 0) return null;
  const { drawn, note } = atMost(MOST_ASSETS, assets, "assets", card);
  const read = assets.filter(({ status }) => status === "found").length;
  return [
    element(
      "header",
      null,
      element("h1", null, "Assets"),
      badge(`${read} of ${counted(assets.length, "object id")} read`, read === assets.length ? "good" : "warning"),
    ),
    ...drawn,
    note,
  ];
});

function card(asset: Fields): HTMLElement {
  const objectId = text(asset["objectId"]) ?? "no object id";
  const name = text(asset["name"]);
  const found = asset["status"] === "found";
  const properties = fields(asset["properties"]);
  return element(
    "article",
    { class: found ? "card" : "card missing" },
    element(
      "div",
      { class: "card-head" },
      kindIcon(text(asset["kind"])),
      element(
        "div",
        { class: "node-text" },
        element("h2", null, foreign(name ?? objectId)),
        element(
          "div",
          { class: "tags" },
          foreign(text(asset["kind"]) ?? "unknown kind", "kind"),
          ...badges(asset, properties),
        ),
        name === null ? null : foreign(objectId, "id"),
      ),
    ),
    ...(found ? [counts(fields(asset["counts"])), allProperties(properties)] : [explanation(asset)]),
  );
}

function badges(asset: Fields, properties: Fields): Node[] {
  if (asset["status"] === "not_found") return [badge("Not found", "plain")];
  if (asset["status"] !== "found") return [badge("Failed", "danger")];
  return [
    ...(isTierZero(properties) ? [badge("Tier Zero", "danger")] : []),
    ...(properties["enabled"] === false ? [badge("Disabled", "plain")] : []),
    ...Object.entries(flags).flatMap(([key, label]) => (properties[key] === true ? [badge(label, "warning")] : [])),
  ];
}

function isTierZero(properties: Fields): boolean {
  return properties["isTierZero"] === true || (text(properties["system_tags"]) ?? "").includes("admin_tier_0");
}

function explanation(asset: Fields): HTMLElement {
  return asset["status"] === "not_found"
    ? element("p", { class: "note" }, "The service does not know this object id, or the token may not see it.")
    : element("p", { class: "error" }, text(asset["error"]) ?? "The asset could not be read.");
}

function counts(all: Fields): HTMLElement {
  const entries = flatten(all, "");
  if (entries.length === 0) return element("p", { class: "note" }, "The service has no counts for this kind.");
  return element(
    "dl",
    { class: "counts" },
    ...entries.map(([label, value]) =>
      element(
        "div",
        { class: lookOf(value) },
        element("dt", { title: label }, label),
        element("dd", value === null ? { title: UNKNOWN } : null, shown(value)),
      ),
    ),
  );
}

/** A count that could not be read is unknown, not 0. */
function shown(value: number | null): string {
  return value === null ? "unknown" : integer(value);
}

function lookOf(value: number | null): string {
  if (value === null) return "count unknown";
  return value === 0 ? "count none" : "count";
}

/** Some kinds have counts inside counts: those are named by all their keys. */
function flatten(all: Fields, above: string): [label: string, value: number | null][] {
  return Object.entries(all).flatMap(([key, value]): [string, number | null][] => {
    const label = above === "" ? words(key) : `${above}: ${words(key).toLowerCase()}`;
    return typeof value === "object" && value !== null ? flatten(fields(value), label) : [[label, count(value)]];
  });
}

function allProperties(properties: Fields): HTMLElement | null {
  const entries = Object.entries(properties);
  if (entries.length === 0) return null;
  return element(
    "details",
    null,
    element("summary", null, counted(entries.length, "property", "properties")),
    element(
      "dl",
      { class: "properties" },
      ...entries.flatMap(([key, value]) => [
        element("dt", null, foreign(key, "key")),
        element("dd", null, propertyText(key, value)),
      ]),
    ),
  );
}

function propertyText(key: string, value: unknown): Node | string {
  const seconds = instants.has(key) ? count(value) : null;
  if (seconds !== null) return instantText(seconds);
  if (Array.isArray(value) && value.length === 0) return "–";
  if (value === null || value === "") return "–";
  return foreign(typeof value === "string" ? value : JSON.stringify(value), "value");
}

function instantText(seconds: number): string {
  const instant = new Date(seconds * 1000);
  if (seconds <= 0) return "never";
  return Number.isNaN(instant.getTime())
    ? String(seconds)
    : `${instant.toISOString().slice(0, 16).replace("T", " ")} UTC`;
}

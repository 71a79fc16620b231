import { type AssetEntry, byUrgency, mainCounts, readAsset } from "./assets/asset-entry.ts";
import { countTiles } from "./assets/counts.ts";
import { allProperties } from "./assets/properties.ts";
import { relatedLists } from "./assets/related-lists.ts";
import { browse } from "./shared/browse.ts";
import { copyButton } from "./shared/copy.ts";
import { disclosure } from "./shared/disclosure.ts";
import { badge, type Child, element, foreign, kindIcon } from "./shared/dom.ts";
import { notice, reasonsNotice } from "./shared/notice.ts";
import { count, items } from "./shared/read.ts";
import { serviceLink } from "./shared/link.ts";
import { counted, integer, visible } from "./shared/text.ts";
import { heading, startWidget } from "./shared/widget.ts";
import "./assets/assets.css";

/** So many assets are shown open; a longer list starts folded. */
const SHOWN_OPEN = 3;

/** Properties of the service that change what an analyst does next, when they are true. */
const flags: Readonly<Record<string, string>> = {
  hasspn: "Has an SPN",
  dontreqpreauth: "No Kerberos pre-authentication",
  unconstraineddelegation: "Unconstrained delegation",
  trustedtoauth: "Trusted to authenticate",
  passwordnotreqd: "No password required",
  pwdneverexpires: "Password never expires",
};

const SHORTENED =
  "Some of what was read of this object is left out, because the result would be too large. Read fewer objects at once.";

const groups = {
  tierZero: { label: "in Tier Zero", look: "danger" },
  found: { label: "other", look: "plain" },
  failed: { label: "failed", look: "warning" },
  notFound: { label: "not found", look: "warning" },
} as const;

startWidget((result) => {
  const assets = items(result["assets"]).map(readAsset).sort(byUrgency);
  if (assets.length === 0) return null;
  const open = assets.length <= SHOWN_OPEN;
  const { summary, list } = browse(
    ["asset", "assets"],
    groups,
    assets.map((asset) => ({
      group: asset.group,
      words: [asset.name, asset.objectId, asset.kind],
      draw: () => entry(asset, open),
    })),
  );
  const remaining = count(result["remaining"]) ?? 0;
  const failed = assets.filter(({ group }) => group === "failed").map(({ problem }) => problem ?? "");
  return [
    remaining > 0 ? notice(`In progress: the next run reads ${counted(remaining, "more asset")}`) : null,
    heading(counted(assets.length, "asset"), [summary]),
    reasonsNotice(`${integer(failed.length)} of ${counted(assets.length, "asset")} could not be read`, failed),
    ...list,
  ];
});

function entry(asset: AssetEntry, open: boolean): HTMLElement {
  const { group, kind, name, objectId } = asset;
  const label = element(
    "span",
    { class: "asset" },
    kindIcon(kind),
    element(
      "span",
      { class: "asset-text" },
      foreign(name ?? objectId),
      foreign(kind ?? "unknown kind", "kind"),
      ...badges(asset),
      element("span", { class: "main-counts" }, ...mainCounts(asset).map(mainCount)),
    ),
  );
  const look = group === "tierZero" ? "danger urgent" : groups[group].look;
  return element("li", { class: `entry ${look}` }, ...disclosure("h2", [label], () => details(asset), open));
}

function mainCount({ label, value }: { label: string; value: number | null }): HTMLElement {
  return element("span", { class: "main-count" }, `${label} `, element("b", null, integer(value ?? 0)));
}

function badges({ group, properties }: AssetEntry): Child[] {
  if (group === "notFound") return [badge("Not found", "warning")];
  if (group === "failed") return [badge("Failed", "warning")];
  return [
    group === "tierZero" ? badge("Tier Zero", "danger") : null,
    properties["enabled"] === false ? badge("Disabled", "plain") : null,
    ...Object.entries(flags).map(([key, flag]) => (properties[key] === true ? badge(flag, "warning") : null)),
  ];
}

function details(asset: AssetEntry): Child[] {
  const { isShortened, objectId, problem, url } = asset;
  const actions = element(
    "div",
    { class: "actions" },
    ...copyButton("Copy object id", () => visible(objectId)),
    serviceLink(url),
  );
  const id = asset.name === null ? null : foreign(objectId, "id");
  if (problem !== null) return [id, element("p", { class: "error" }, problem), actions];
  return [
    id,
    isShortened ? element("p", { class: "note" }, SHORTENED) : null,
    ...countTiles(asset.counts),
    ...relatedLists(asset.related),
    ...allProperties(asset.properties),
    actions,
  ];
}

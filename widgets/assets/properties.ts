import { type Child, element, foreign } from "../shared/dom.ts";
import { disclosure } from "../shared/disclosure.ts";
import { count, type Fields } from "../shared/read.ts";
import { counted } from "../shared/text.ts";

/** Properties that the service gives in seconds since 1970; 0 and -1 mean never. */
const instants = new Set(["lastlogon", "lastlogontimestamp", "pwdlastset", "whencreated"]);

export function allProperties(properties: Fields): Child[] {
  const entries = Object.entries(properties);
  if (entries.length === 0) return [];
  const title = element("span", { class: "fold-title" }, counted(entries.length, "property", "properties"));
  return disclosure("h3", [title], () => [
    element(
      "dl",
      { class: "properties" },
      ...entries.flatMap(([key, value]) => [
        element("dt", null, foreign(key, "key")),
        element("dd", null, propertyText(key, value)),
      ]),
    ),
  ]);
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

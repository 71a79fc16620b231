import { counted, visible } from "../../../../widgets/shared/text.ts";
import type { Json } from "../../../../src/runtime/protocol.ts";
import { shortened } from "../../../../src/text.ts";

/** A value on one line: a long one is cut, a nested one is counted. Needs no browser. */
export function preview(value: Json | undefined, most = 120): string {
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return isFlat(value) ? cut(JSON.stringify(value), most) : counted(value.length, "item");
  if (typeof value === "object" && value !== null) return counted(Object.keys(value).length, "field");
  return cut(typeof value === "string" ? value : JSON.stringify(value), most);
}

function isFlat(list: readonly Json[]): boolean {
  return list.length <= 5 && list.every((item) => typeof item !== "object" || item === null);
}

function cut(text: string, most: number): string {
  return visible(shortened(text, most - 1));
}

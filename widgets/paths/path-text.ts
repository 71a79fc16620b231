import { type Fields, fields, text } from "../shared/read.ts";
import { visible } from "../shared/text.ts";
import { hopsText, nameOf, type PathEntry, relationOf } from "./path-entry.ts";

/** An open path for a ticket or a message: what it is, then one object per line. What cannot be seen in a name is made visible. */
export function pathText({ start, end, length, hops, tierZero, givesControl }: PathEntry): string {
  const described = (object: Fields): string => {
    const marks = [text(object["kind"]) ?? "unknown kind", ...(tierZero.has(object["objectId"]) ? ["Tier Zero"] : [])];
    return visible(`${nameOf(object)} (${marks.join(", ")})`);
  };
  // A result may be too large for the hops.
  const isListed = hops.length > 0 || length === 0;
  const title = givesControl ? "Attack path" : "Relationship without control";
  return [
    visible(`${title} from ${nameOf(start)} to ${nameOf(end)}: ${hopsText(length ?? 0)}`),
    `  ${described(start)}`,
    ...hops.map((hop) => `  ${visible(relationOf(hop))} -> ${described(fields(hop["to"]))}`),
    ...(isListed ? [] : [`  hops not listed -> ${described(end)}`]),
  ].join("\n");
}

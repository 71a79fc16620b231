import { shapeOf } from "../../../../widgets/shared/kinds.ts";
import { visible } from "../../../../widgets/shared/text.ts";
import type { GraphNode } from "../../contract/index.ts";
import { shortened } from "../../../../src/text.ts";

/** The beginning of a text, with what a reader cannot see made visible. */
export function clip(text: string, most: number): string {
  return shortened(visible(text), most - 1);
}

/** The name of an object; its id when the service knows no name. */
export function nameOf({ name, id }: GraphNode): string {
  return visible(name === "" ? id : name);
}

/** Two lines for the card of an object: who it is, then what it is and where. */
export function cardText(node: GraphNode): { first: string; second: string } {
  const [who, where] = parted(node);
  return { first: clip(who, 18), second: clip(where === "" ? kindOf(node) : `${kindOf(node)} · ${where}`, 24) };
}

/** A principal is parted behind its @, a computer behind its host name. */
function parted(node: GraphNode): [who: string, where: string] {
  const name = nameOf(node);
  const at = shapeOf(node.kind) === "computer" && !name.includes("@") ? name.indexOf(".") : name.lastIndexOf("@");
  return at > 0 ? [name.slice(0, at), name.slice(at + 1)] : [name, ""];
}

export function kindOf({ kind }: GraphNode): string {
  return kind === "" ? "Unknown kind" : kind;
}

/** An object as it is read out: what stands on its card, and its whole name when the card cuts it. */
export function spoken(node: GraphNode): string {
  const { first, second } = cardText(node);
  const card = `${first} ${second}${node.tierZero ? " Tier Zero" : ""}`;
  return card.includes("…") ? `${card}, ${nameOf(node)}` : card;
}

import { type Shape, shapeOf } from "../../../../widgets/shared/kinds.ts";
import type { GraphView } from "../../contract/index.ts";
import { kindOf } from "./label.ts";

/** The kinds in a graph by the shape that stands for them, the most frequent shape first. */
export function legendOf({ nodes }: GraphView): { shape: Shape; kinds: string[] }[] {
  const shapes = new Map<Shape, { kinds: Set<string>; count: number }>();
  for (const node of nodes) {
    const shape = shapeOf(node.kind);
    const entry = shapes.get(shape) ?? { kinds: new Set(), count: 0 };
    entry.kinds.add(kindOf(node));
    entry.count++;
    shapes.set(shape, entry);
  }
  return [...shapes]
    .sort(([, a], [, b]) => b.count - a.count)
    .map(([shape, { kinds }]) => ({ shape, kinds: [...kinds].sort() }));
}

export interface Size {
  width: number;
  height: number;
}

export interface Edge {
  readonly from: string;
  readonly to: string;
}

/** A node with its centre. */
export type Place = Size & { x: number; y: number };

/** Where each node is, in a picture of this size that begins at 0. */
export interface Layered extends Size {
  places: ReadonlyMap<string, Place>;
}

const NO_SIZE: Size = { width: 0, height: 0 };

/**
 * Places a graph in columns from left to right: a node is left of all that it leads to, where no cycle prevents that. Takes
 * time in proportion to nodes and edges, however long the paths are, because the service decides how large the graph is.
 *
 * @param edges - between these nodes
 * @param gaps - between columns, and between the nodes of a column
 */
export function layered(
  nodes: ReadonlyMap<string, Size>,
  edges: readonly Edge[],
  gaps: { columns: number; rows: number },
): Layered {
  const between = edges.filter(({ from, to }) => from !== to);
  const targets = neighbours(between, "from", "to");
  const places = new Map<string, Place>();
  let right = 0;
  for (const keys of columnsOf([...nodes.keys()], between, targets)) {
    const column = besideTargets(keys, targets, places).map((key) => ({ key, size: nodes.get(key) ?? NO_SIZE }));
    const width = column.reduce((most, { size }) => Math.max(most, size.width), 0);
    const height = column.reduce((sum, { size }) => sum + size.height + gaps.rows, -gaps.rows);
    let top = -height / 2;
    for (const { key, size } of column) {
      places.set(key, { ...size, x: right - width / 2, y: top + size.height / 2 });
      top += size.height + gaps.rows;
    }
    right -= width + gaps.columns;
  }
  return fromZero(places);
}

/** Moves the places so that the picture begins at 0. */
function fromZero(places: Map<string, Place>): Layered {
  let [left, right, top, bottom] = [0, 0, 0, 0];
  for (const { x, y, width, height } of places.values()) {
    left = Math.min(left, x - width / 2);
    right = Math.max(right, x + width / 2);
    top = Math.min(top, y - height / 2);
    bottom = Math.max(bottom, y + height / 2);
  }
  const moved = [...places].map(([key, place]): [string, Place] => [
    key,
    { ...place, x: place.x - left, y: place.y - top },
  ]);
  return { width: right - left, height: bottom - top, places: new Map(moved) };
}

/**
 * The nodes of each column, from the right one on. A node is placed once all that it leads to are; in a cycle, the one that leads
 * to a placed node comes first.
 */
function columnsOf(nodes: readonly string[], edges: readonly Edge[], targets: Neighbours): string[][] {
  const sources = neighbours(edges, "to", "from");
  /** How many of its targets are not placed, by each node that is not placed itself. */
  const open = new Map(nodes.map((key) => [key, targets.get(key)?.length ?? 0]));
  const columnOf = new Map<string, number>();
  const columns: string[][] = [];
  const waiting: string[] = [];
  const ready = nodes.filter((key) => open.get(key) === 0);
  for (const key of inTurn(ready, waiting, nodes)) {
    if (!open.delete(key)) continue;
    const column = columnOf.get(key) ?? 0;
    (columns[column] ??= []).push(key);
    for (const source of sources.get(key) ?? []) {
      const left = open.get(source);
      if (left === undefined) continue;
      columnOf.set(source, Math.max(columnOf.get(source) ?? 0, column + 1));
      open.set(source, left - 1);
      (left === 1 ? ready : waiting).push(source);
    }
  }
  return columns;
}

/** Takes each entry from the first list that has one left. The lists may grow between two entries. */
function* inTurn(...lists: readonly (readonly string[])[]): Generator<string> {
  const cursors = lists.map((list) => ({ list, at: 0 }));
  for (;;) {
    const next = cursors.find(({ list, at }) => at < list.length);
    const key = next?.list[next.at++];
    if (key === undefined) return;
    yield key;
  }
}

type Neighbours = ReadonlyMap<string, readonly string[]>;

function neighbours(edges: readonly Edge[], near: keyof Edge, far: keyof Edge): Neighbours {
  const found = new Map<string, string[]>();
  for (const edge of edges) {
    const known = found.get(edge[near]);
    if (known) known.push(edge[far]);
    else found.set(edge[near], [edge[far]]);
  }
  return found;
}

/** Beside what they lead to, so that few edges cross. */
function besideTargets(keys: readonly string[], targets: Neighbours, places: ReadonlyMap<string, Place>): string[] {
  const heightOf = (key: string): number => {
    const ys = (targets.get(key) ?? []).flatMap((target) => places.get(target)?.y ?? []);
    return ys.length === 0 ? 0 : ys.reduce((sum, y) => sum + y, 0) / ys.length;
  };
  const heights = new Map(keys.map((key) => [key, heightOf(key)]));
  return [...keys].sort((a, b) => (heights.get(a) ?? 0) - (heights.get(b) ?? 0));
}

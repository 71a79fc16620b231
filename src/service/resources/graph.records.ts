/**
 * The meta tree graph (Attack Path Analysis Service API, section Graph). The service documents neither units nor
 * allowed values of the style fields.
 */
export interface FontIcon {
  color?: string;
  fontFamily?: string;
  text?: string;
}

export interface ItemLabel {
  bold?: boolean;
  color?: string;
  fontFamily?: string;
  text?: string;
}

export interface Glyph {
  angle?: number;
  blink?: boolean;
  border?: { color?: string };
  color?: string;
  fontIcon?: FontIcon;
  image?: string;
  label?: ItemLabel;
  position?: string;
  radius?: number;
  size?: number;
}

/** What nodes and edges share. */
export interface GraphItem {
  color?: string;
  fade?: boolean;
  /** Free-form. */
  data?: Record<string, unknown>;
  glyphs?: Glyph[];
}

export interface NodeLabel extends ItemLabel {
  backgroundColor?: string;
  center?: boolean;
  fontSize?: number;
}

export interface MetaTreeNode extends GraphItem {
  border?: { color?: string; lineStyle?: string; width?: number };
  coordinates?: { lat?: number; lng?: number };
  cutout?: boolean;
  fontIcon?: FontIcon;
  halos?: { color?: string; radius?: number; width?: number }[];
  image?: string;
  label?: NodeLabel;
  shape?: string;
  size?: number;
}

export interface LinkEnd {
  arrow?: boolean;
  backOff?: number;
  color?: string;
  glyphs?: Glyph[];
  label?: ItemLabel;
}

/** An edge of a meta tree on the wire. */
export interface WireMetaTreeEdge extends GraphItem {
  end1?: LinkEnd;
  end2?: LinkEnd;
  flow?: { velocity?: number };
  /** Key of the node at one end. */
  id1?: string;
  /** Key of the node at the other end. */
  id2?: string;
  label?: ItemLabel;
  lineStyle?: string;
  width?: number;
}

/** An edge of a meta tree, which leads from one node to another. */
export type MetaTreeEdge = WireMetaTreeEdge & Required<Pick<WireMetaTreeEdge, "id1" | "id2">>;

/** Nodes and edges by key; an edge is the one that has `id1` and `id2`. */
export type MetaTreeGraph = Record<string, MetaTreeNode | WireMetaTreeEdge>;

/** Tells an edge of a meta tree from a node. */
export function isMetaTreeEdge(item: MetaTreeNode | WireMetaTreeEdge): item is MetaTreeEdge {
  return "id1" in item && "id2" in item;
}

import type { JSX } from "preact";
import { shapeOf, shapes } from "../../../../widgets/shared/kinds.ts";
import { cardText, spoken } from "./label.ts";
import { CARD, curve, type Direction, LINE, type PlacedArrow, type PlacedNode } from "./layout.ts";

/** The drawing that stands for a kind of object, within a drawing or a line of text. */
export function KindIcon({ kind, size = 20 }: { kind: string; size?: number }): JSX.Element {
  const shape = shapeOf(kind);
  return (
    <svg class={`kind ${shape}`} viewBox="0 0 24 24" width={size} height={size} aria-hidden="true">
      <path d={shapes[shape]} />
    </svg>
  );
}

export function NodeCard(props: {
  placed: PlacedNode;
  isCurrent: boolean;
  isSelected: boolean;
  onSelect: () => void;
}): JSX.Element {
  const { node, x, y } = props.placed;
  const { first, second } = cardText(node);
  const look = [
    "graph-node",
    node.tierZero ? "tier-zero" : "",
    node.place === null ? "" : "on-path",
    props.isSelected ? "selected" : "",
  ];
  return (
    <g
      class={look.filter((name) => name !== "").join(" ")}
      transform={`translate(${x - CARD.width / 2} ${y - CARD.height / 2})`}
      role="button"
      // An attribute of a drawing is case-sensitive.
      tabindex={props.isCurrent ? 0 : -1}
      aria-label={spoken(node)}
      aria-pressed={props.isSelected}
      data-node={node.id}
      onClick={props.onSelect}
    >
      <rect class="card" width={CARD.width} height={CARD.height} rx="8" />
      <circle class="kind-ground" cx="25" cy="25" r="16" />
      <g class={`kind ${shapeOf(node.kind)}`} transform="translate(15.4 15.4) scale(0.8)">
        <path d={shapes[shapeOf(node.kind)]} />
      </g>
      <text class="first" x="48" y="22">
        {first}
      </text>{" "}
      <text class="second" x="48" y="38">
        {second}
      </text>{" "}
      {node.tierZero && (
        <g class="tier" transform={`translate(${CARD.width - 78} -8)`}>
          <rect width="68" height="16" rx="8" />
          <text x="34" y="12">
            Tier Zero
          </text>
        </g>
      )}
    </g>
  );
}

export function ArrowLine(props: {
  arrow: PlacedArrow;
  direction: Direction;
  isNear: boolean;
  marker: string;
}): JSX.Element {
  const { arrow } = props;
  const look = `graph-arrow${arrow.main ? " main" : ""}${props.isNear ? " near" : ""}`;
  return (
    <g class={look}>
      <path class="shaft" d={curve(arrow.points, props.direction)} marker-end={`url(#${props.marker})`} />
    </g>
  );
}

/** What stands on an arrow; drawn after all lines, so that none crosses it. */
export function ArrowLabel({ arrow, isNear }: { arrow: PlacedArrow; isNear: boolean }): JSX.Element {
  const { x, y, width, height } = arrow.label;
  return (
    <g class={`graph-label${arrow.main ? " main" : ""}${isNear ? " near" : ""}`} aria-hidden="true">
      <title>{arrow.relations.join(", ")}</title>
      <rect x={x - width / 2} y={y - height / 2} width={width} height={height} rx="4" />
      {arrow.lines.map((line, index) => (
        <text key={line} x={x} y={y - height / 2 + 12.5 + index * LINE}>
          {line}
        </text>
      ))}
    </g>
  );
}

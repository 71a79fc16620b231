import type { ComponentChildren, JSX } from "preact";
import { useId, useMemo, useRef, useState } from "preact/hooks";
import { counted } from "../../../../widgets/shared/text.ts";
import type { GraphNode, GraphView } from "../../contract/index.ts";
import { Button, IconButton, useTask } from "../parts/button.tsx";
import { ArrowLabel, ArrowLine, KindIcon, NodeCard } from "./card.tsx";
import { pngFile, save, svgFile } from "./export.ts";
import { HopList, SelectedNode } from "./hop-list.tsx";
import { busiest, shortestOnly } from "./hops.ts";
import { fittingLayout, type Layout, layoutsOf } from "./layout.ts";
import { legendOf } from "./legend.ts";
import { isWalkKey, startOf, walk } from "./walk.ts";
import { useWidth } from "./width.ts";
import { useZoom, type Zoom } from "./zoom.ts";

/** Of more objects without a path among them, only those with the most edges are drawn at first. */
const MOST_AT_FIRST = 90;
/** How many objects without a path among them are drawn at first. */
const BUSIEST = 40;

/** What can be done with the selected object. */
export type GraphActions = (node: GraphNode, graph: GraphView) => ComponentChildren;

interface GraphProps {
  graph: GraphView;
  /** What the drawing shows; also the name of an exported file. */
  label: string;
  actions?: GraphActions | undefined;
}

/** The border of the frame around a drawing, on both sides. */
const BORDER = 2;

/** How wide a drawing may be in an element of this width. */
export function roomIn(width: number): number {
  return width - BORDER;
}

/** A graph as a drawing that can be walked along by keyboard, and as lists. A click changes nothing of the layout. */
export function Graph(props: GraphProps): JSX.Element {
  const [element, width] = useWidth();
  return (
    <div ref={element}>
      <figure class="graph" aria-label={props.label}>
        {width !== null && <DrawnGraph {...props} room={roomIn(width)} />}
      </figure>
    </div>
  );
}

function DrawnGraph({ graph, label, actions, room }: GraphProps & { room: number }): JSX.Element {
  const less = useMemo(() => lessOf(graph), [graph]);
  const [chosen, setChosen] = useState<boolean | null>(null);
  const whole = useMemo(() => layoutsOf(graph), [graph]);
  const fits = useMemo(() => fittingLayout(graph, room, whole) !== null, [graph, room, whole]);
  const showsAll = chosen ?? (less === null || fits);
  const shown = showsAll || less === null ? graph : less.graph;
  const hasPath = shown.edges.some(({ main }) => main);
  const layouts = useMemo(() => (shown === graph ? whole : layoutsOf(shown)), [shown, graph, whole]);
  const layout = fittingLayout(shown, room, layouts) ?? layouts(hasPath ? "down" : "across");
  const drawing = useRef<SVGSVGElement>(null);
  const zoom = useZoom(layout);
  const [selected, setSelected] = useState<string | null>(null);
  const node = shown.nodes.find(({ id }) => id === selected) ?? null;
  return (
    <>
      <div class="graph-bar">
        {less !== null && (
          <label class="option">
            <input
              type="checkbox"
              checked={showsAll}
              onChange={({ currentTarget }) => {
                setChosen(currentTarget.checked);
              }}
            />
            {less.toggle}
          </label>
        )}
        <ZoomButtons zoom={zoom} />
        <ExportButtons drawing={drawing} name={label} />
      </div>
      <Drawing {...{ layout, label, drawing, zoom, selected, setSelected, isWhole: hasPath }} />
      <SelectedNode node={node} graph={shown} actions={actions} />
      <Legend graph={shown} />
      <details>
        <summary>The same as a list</summary>
        <HopList graph={shown} />
      </details>
    </>
  );
}

interface DrawingProps {
  layout: Layout;
  label: string;
  drawing: { current: SVGSVGElement | null };
  zoom: Zoom;
  selected: string | null;
  setSelected: (id: string | null) => void;
  /** The frame is as high as the drawing. */
  isWhole: boolean;
}

function Drawing(props: DrawingProps): JSX.Element {
  const { layout, label, drawing, zoom, selected, setSelected } = props;
  const marker = useId();
  const [visited, setVisited] = useState<string | null>(null);
  const current = layout.nodes.some(({ node }) => node.id === visited) ? visited : startOf(layout);
  const isNear = ({ from, to }: { from: string; to: string }) => from === selected || to === selected;
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    // The focus is ahead of the state when keys come fast.
    const here = focusedNode(event) ?? current;
    const next = here !== null && isWalkKey(event.key) ? walk(layout, here, event.key) : null;
    if (next !== null) {
      setVisited(next);
      focusOn(drawing.current, next);
    } else if (event.key === "Enter" || event.key === " ") setSelected(here === selected ? null : here);
    else if (event.key === "Escape" && selected !== null) setSelected(null);
    else if (!isWalkKey(event.key) && !zoom.onKey(event.key)) return;
    event.preventDefault();
  };
  return (
    <div
      class={props.isWhole ? "graph-scroll whole" : "graph-scroll"}
      tabIndex={0}
      ref={zoom.frame}
      onPointerDown={zoom.onPointerDown}
    >
      <svg
        ref={drawing}
        class="graph-drawing"
        viewBox={`0 0 ${layout.width} ${layout.height}`}
        width={layout.width * zoom.scale}
        height={layout.height * zoom.scale}
        role="group"
        aria-label={`${label}: ${layout.nodes.length} objects, ${layout.arrows.length} arrows. Arrow keys move along the path, Enter selects.`}
        onKeyDown={onKeyDown}
      >
        <defs>
          {["", "-main"].map((look) => (
            <marker
              key={look}
              id={`${marker}${look}`}
              class={`graph-head${look}`}
              viewBox="0 0 10 10"
              refX="9"
              refY="5"
              markerWidth="9"
              markerHeight="9"
              markerUnits="userSpaceOnUse"
              orient="auto"
            >
              <path d="M0 0L10 5L0 10z" />
            </marker>
          ))}
        </defs>
        {layout.arrows.toReversed().map((arrow) => (
          <ArrowLine
            key={`${arrow.from} ${arrow.to}`}
            arrow={arrow}
            direction={layout.direction}
            isNear={isNear(arrow)}
            marker={arrow.main ? `${marker}-main` : marker}
          />
        ))}
        {layout.arrows.map((arrow) => (
          <ArrowLabel key={`${arrow.from} ${arrow.to}`} arrow={arrow} isNear={isNear(arrow)} />
        ))}
        {layout.nodes.map((placed) => (
          <NodeCard
            key={placed.node.id}
            placed={placed}
            isCurrent={placed.node.id === current}
            isSelected={placed.node.id === selected}
            onSelect={() => {
              setVisited(placed.node.id);
              setSelected(placed.node.id === selected ? null : placed.node.id);
            }}
          />
        ))}
      </svg>
    </div>
  );
}

function focusedNode({ target }: KeyboardEvent): string | null {
  const node = target instanceof Element ? target.closest<SVGElement>("[data-node]") : null;
  return node?.dataset["node"] ?? null;
}

function focusOn(drawing: SVGSVGElement | null, id: string): void {
  for (const element of drawing?.querySelectorAll<SVGElement>("[data-node]") ?? []) {
    if (element.dataset["node"] !== id) continue;
    element.focus({ preventScroll: true });
    element.scrollIntoView({ block: "nearest", inline: "nearest" });
  }
}

function ZoomButtons({ zoom }: { zoom: Zoom }): JSX.Element {
  return (
    <div class="graph-zoom" role="group" aria-label="Zoom">
      <IconButton icon="minus" label="Zoom out" onPress={zoom.out} />
      <span class="number" aria-live="polite">
        {Math.round(zoom.scale * 100)}%
      </span>
      <IconButton icon="plus" label="Zoom in" onPress={zoom.in} />
      <Button size="small" onPress={zoom.fit}>
        Fit
      </Button>
    </div>
  );
}

function ExportButtons(props: { drawing: { current: SVGSVGElement | null }; name: string }): JSX.Element {
  const file = props.name
    .replace(/[^\p{L}\p{N}]+/gu, "-")
    .replace(/^-|-$/g, "")
    .slice(0, 80)
    .toLowerCase();
  const svg = useTask((): Promise<void> => {
    if (props.drawing.current !== null) save(svgFile(props.drawing.current), `${file}.svg`);
    return Promise.resolve();
  });
  const png = useTask(async () => {
    if (props.drawing.current !== null) save(await pngFile(props.drawing.current), `${file}.png`);
  });
  return (
    <div class="row" role="group" aria-label="Export">
      <Button size="small" icon="download" label="Export as SVG" onPress={svg.run}>
        SVG
      </Button>
      <Button size="small" icon="download" label="Export as PNG" isBusy={png.isBusy} onPress={png.run}>
        PNG
      </Button>
    </div>
  );
}

/** A smaller drawing of the same graph, and what the switch to the whole one is called; null when there is none. */
function lessOf(graph: GraphView): { graph: GraphView; toggle: string } | null {
  const shortest = shortestOnly(graph);
  const beside = graph.edges.length - shortest.edges.length;
  if (shortest.edges.length > 0)
    return beside === 0 ? null : { graph: shortest, toggle: `Other shortest paths (${counted(beside, "edge")})` };
  if (graph.nodes.length <= MOST_AT_FIRST) return null;
  return { graph: busiest(graph, BUSIEST), toggle: `All ${counted(graph.nodes.length, "object")}` };
}

function Legend({ graph }: { graph: GraphView }): JSX.Element {
  const hasMain = graph.edges.some(({ main }) => main);
  return (
    <ul class="graph-legend" aria-label="Legend">
      {legendOf(graph).map(({ shape, kinds }) => (
        <li key={shape}>
          <KindIcon kind={kinds[0] ?? ""} size={16} />
          {kinds.join(", ")}
        </li>
      ))}
      {graph.nodes.some(({ tierZero }) => tierZero) && (
        <li>
          <span class="swatch tier-zero" /> Tier Zero
        </li>
      )}
      {hasMain && (
        <li>
          <span class="swatch main" /> Shortest path
        </li>
      )}
      {hasMain && graph.edges.some(({ main }) => !main) && (
        <li>
          <span class="swatch other" /> Other shortest path
        </li>
      )}
    </ul>
  );
}

import type { JSX } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { visible } from "../../../../widgets/shared/text.ts";
import type { JsonObject, ResultTable } from "../../../../src/runtime/protocol.ts";
import type { AnswerOf, GraphView, RunView } from "../../contract/index.ts";
import { call } from "../api.ts";
import { Graph, type GraphActions, roomIn } from "../graph/graph.tsx";
import { fittingLayout } from "../graph/layout.ts";
import { NodeName } from "../graph/hop-list.tsx";
import { useWidth } from "../graph/width.ts";
import { markTour } from "../overview.ts";
import { usePart } from "../paged.ts";
import { useResource } from "../resource.ts";
import { shownTheme } from "../theme.ts";
import { JsonView } from "./json.tsx";
import { Section } from "./layout.tsx";
import { Empty, Loaded, Notice } from "./states.tsx";
import { More, Table } from "./table.tsx";
import { WidgetFrame } from "./widget-frame.tsx";

const looks: Readonly<Record<string, "good" | "warning" | "danger" | "plain">> = {
  completed: "good",
  partial: "warning",
  interrupted: "warning",
  stopped: "warning",
  failed: "danger",
  crashed: "danger",
};

const insightLooks = { info: "plain", warning: "warning", critical: "danger" } as const;

/** What a run that is no action ended with. */
export function OutcomeNotice({ status, message }: { status: string; message: string }): JSX.Element | null {
  return message === "" ? null : <Notice look={looks[status] ?? "plain"}>{visible(message)}</Notice>;
}

/** The plugin's own sentence about its run. That it ran to its end is no good news when it found an open path. */
export function RunMessage({ run }: { run: RunView }): JSX.Element | null {
  if (run.message === "") return null;
  const found = run.insight?.severity ?? (isOpenPath(run) ? "warning" : null);
  const look = found !== null && run.status === "completed" ? insightLooks[found] : looks[run.status];
  return <Notice look={look ?? "plain"}>{visible(run.message)}</Notice>;
}

function isOpenPath({ json }: RunView): boolean {
  return json !== null && Array.isArray(json["paths"]) && json["exists"] === true;
}

/** What an action brought: its insight, one drawing, its tables, and the JSON. */
export function ActionResult({ run, actions }: { run: RunView; actions?: GraphActions }): JSX.Element {
  if (run.status === "running") return <Empty icon="clock" title="The result appears here when the run has ended." />;
  if (run.json === null)
    return <Empty title="No JSON result.">The message above is all that this run has brought.</Empty>;
  return (
    <div class="stack">
      {run.insight !== null && (
        <Notice look={insightLooks[run.insight.severity]}>
          <strong>{visible(run.insight.title)}.</strong> {visible(run.insight.text)}
        </Notice>
      )}
      <Drawn key={run.id} run={run} actions={actions} />
      {run.tables.map((table) => (
        <ShownTable key={table.title} table={table} />
      ))}
      <FoldedJson value={run.json} />
    </div>
  );
}

/** A table for people, as a platform shows it beside the message. */
function ShownTable({ table }: { table: ResultTable }): JSX.Element {
  const { title, note, columns, rows } = table;
  return (
    <Section title={visible(title)}>
      <div class="stack">
        <Table
          caption={visible(title)}
          columns={columns.map((header, at) => ({
            header: visible(header),
            cell: ({ cells }: { cells: (string | number)[] }) => visible(String(cells[at] ?? "")),
            isMain: at === 0,
          }))}
          rows={rows.map((cells, index) => ({ cells, index }))}
          keyOf={({ index }) => index}
        />
        {note !== undefined && <p class="muted">{visible(note)}</p>}
      </div>
    </Section>
  );
}

function FoldedJson({ value }: { value: JsonObject }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      class="section sample"
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <summary class="row">
        <h2>JSON result</h2>
      </summary>
      {isOpen && <JsonView value={value} what="JSON result" />}
    </details>
  );
}

type Graphs = AnswerOf<"GET /runs/:id/graph">;

/**
 * One drawing of the result: several shortest paths of one pair as a graph where it can be read as a whole, everything else as the
 * package's own widget, which wraps a path of any length.
 */
function Drawn({ run, actions }: { run: RunView; actions: GraphActions | undefined }): JSX.Element {
  const [element, width] = useWidth();
  const graphs = useResource((signal) => call("GET /runs/:id/graph", { path: { id: run.id }, signal }), [run.id]);
  const hasPath = (graphs.data?.length ?? 0) > 0;
  useEffect(() => {
    if (hasPath) void markTour("drewPath");
  }, [hasPath]);
  return (
    <div ref={element}>
      {width !== null && (
        <Loaded of={graphs} what="Loading the drawing">
          {(list) => <OneDrawing run={run} actions={actions} graphs={list} room={roomIn(width - PADDING)} />}
        </Loaded>
      )}
    </div>
  );
}

/** Of a section around what it holds, with its border, on both sides. */
const PADDING = 34;

interface DrawingProps {
  run: RunView;
  actions: GraphActions | undefined;
  graphs: Graphs;
}

function OneDrawing({ room, ...props }: DrawingProps & { room: number }): JSX.Element {
  const { run, graphs } = props;
  const [only] = graphs;
  const isOnePair = ((run.json?.["paths"] ?? []) as unknown[]).length === 1;
  const hasSeveral = isOnePair && only?.graph.edges.some(({ main }) => !main) === true;
  const hasRoom = useMemo(() => hasSeveral && fittingLayout(only.graph, room) !== null, [only, hasSeveral, room]);
  return hasRoom ? <DrawnGraphs {...props} /> : <DrawnWidget {...props} />;
}

function DrawnGraphs({ actions, graphs }: DrawingProps): JSX.Element {
  return (
    <div class="stack">
      {graphs.map(({ title, graph }) => (
        <Section key={title} title={visible(title)}>
          <Graph graph={graph} label={visible(title)} actions={actions} />
        </Section>
      ))}
    </div>
  );
}

/** The widget; the graphs where the package has none. */
function DrawnWidget(props: DrawingProps): JSX.Element {
  const { run, actions, graphs } = props;
  const theme = shownTheme();
  const widget = useResource(
    // A resource that is null has not been loaded.
    async (signal) => ({
      view: await call("GET /runs/:id/widget", { path: { id: run.id }, query: { theme }, signal }),
    }),
    [run.id, theme],
  );
  return (
    <Loaded of={widget} what="Loading the widget">
      {({ view }) =>
        view === null ? (
          <DrawnGraphs {...props} />
        ) : (
          <Section title={`Widget of ${run.name}`}>
            <WidgetFrame url={view.url} title={`Widget of ${run.name}`} />
            {actions !== undefined && graphs.length > 0 && <PathObjects graphs={graphs} actions={actions} />}
          </Section>
        )
      }
    </Loaded>
  );
}

const STEP = 60;

/** The objects of all drawn paths: a widget cannot run an action on them, this list can. */
function PathObjects({ graphs, actions }: { graphs: Graphs; actions: GraphActions }): JSX.Element {
  const objects = useMemo(() => objectsOf(graphs.map(({ graph }) => graph)), [graphs]);
  const shown = usePart(objects, STEP);
  return (
    <details>
      <summary>Run an action on an object of the {graphs.length === 1 ? "path" : "paths"}</summary>
      <ul class="path-objects">
        {shown.rows.map(({ node, graph }) => (
          <li key={node.id}>
            <NodeName node={node} />
            {actions(node, graph)}
          </li>
        ))}
      </ul>
      {objects.length > STEP && <More of={shown} what="objects" />}
    </details>
  );
}

/** Each object once, those of the shortest path first and in its order. */
function objectsOf(graphs: readonly GraphView[]): { node: GraphView["nodes"][number]; graph: GraphView }[] {
  const known = new Map<string, { node: GraphView["nodes"][number]; graph: GraphView }>();
  for (const graph of graphs) {
    const rank = ({ place }: GraphView["nodes"][number]) => place ?? Number.MAX_SAFE_INTEGER;
    for (const node of graph.nodes.toSorted((a, b) => rank(a) - rank(b)))
      if (!known.has(node.id)) known.set(node.id, { node, graph });
  }
  return [...known.values()];
}

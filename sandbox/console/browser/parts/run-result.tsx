import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { visible } from "../../../../widgets/shared/text.ts";
import type { ResultTable } from "../../../../src/runtime/protocol.ts";
import type { RunView } from "../../contract/index.ts";
import { call } from "../api.ts";
import { Graph, type GraphActions } from "../graph/graph.tsx";
import { markTour } from "../overview.ts";
import { useResource } from "../resource.ts";
import { shownTheme } from "../theme.ts";
import { JsonView } from "./json.tsx";
import { Section } from "./layout.tsx";
import { Empty, Loaded, Notice } from "./states.tsx";
import { Table } from "./table.tsx";
import { WidgetFrame } from "./widget-frame.tsx";

const looks: Readonly<Record<string, "good" | "warning" | "danger" | "plain">> = {
  completed: "good",
  partial: "warning",
  interrupted: "warning",
  failed: "danger",
  crashed: "danger",
};

const insightLooks = { info: "plain", warning: "warning", critical: "danger" } as const;

/** The plugin's own sentence about its run. */
export function RunMessage({ run }: { run: Pick<RunView, "status" | "message"> }): JSX.Element | null {
  if (run.message === "") return null;
  return <Notice look={looks[run.status] ?? "plain"}>{visible(run.message)}</Notice>;
}

/** What an action brought: its insight, its paths drawn, the package's own widget, its tables, and the JSON. */
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
      <Graphs runId={run.id} actions={actions} />
      <Widget run={run} />
      {run.tables.map((table) => (
        <ShownTable key={table.title} table={table} />
      ))}
      <Section title="JSON result">
        <JsonView value={run.json} what="JSON result" />
      </Section>
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

function Graphs({ runId, actions }: { runId: string; actions: GraphActions | undefined }): JSX.Element {
  const graphs = useResource((signal) => call("GET /runs/:id/graph", { path: { id: runId }, signal }), [runId]);
  const hasPath = (graphs.data?.length ?? 0) > 0;
  useEffect(() => {
    if (hasPath) void markTour("drewPath");
  }, [hasPath]);
  return (
    <Loaded of={graphs} what="Loading the paths">
      {(list) =>
        list.map(({ title, graph }) => (
          <Section key={title} title={visible(title)}>
            <Graph graph={graph} label={visible(title)} actions={actions} />
          </Section>
        ))
      }
    </Loaded>
  );
}

function Widget({ run }: { run: RunView }): JSX.Element {
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
        view !== null && (
          <Section title={`Widget of ${run.name}`}>
            <WidgetFrame url={view.url} title={`Widget of ${run.name}`} />
          </Section>
        )
      }
    </Loaded>
  );
}

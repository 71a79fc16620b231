import type { JSX } from "preact";
import { useEffect } from "preact/hooks";
import { visible } from "../../../../widgets/shared/text.ts";
import type { RunView } from "../../contract/index.ts";
import { call } from "../api.ts";
import { Graph } from "../graph/graph.tsx";
import { markTour } from "../overview.ts";
import { useResource } from "../resource.ts";
import { shownTheme } from "../theme.ts";
import { JsonView } from "./json.tsx";
import { Section } from "./layout.tsx";
import { Empty, Loaded, Notice } from "./states.tsx";
import { WidgetFrame } from "./widget-frame.tsx";

const looks: Readonly<Record<string, "good" | "warning" | "danger" | "plain">> = {
  completed: "good",
  partial: "warning",
  interrupted: "warning",
  failed: "danger",
  crashed: "danger",
};

/** The plugin's own sentence about its run. */
export function RunMessage({ run }: { run: Pick<RunView, "status" | "message"> }): JSX.Element | null {
  if (run.message === "") return null;
  return <Notice look={looks[run.status] ?? "plain"}>{visible(run.message)}</Notice>;
}

/** What an action brought: its paths drawn, the package's own widget, and the JSON. */
export function ActionResult({ run }: { run: RunView }): JSX.Element {
  if (run.status === "running") return <Empty icon="clock" title="The result appears here when the run has ended." />;
  if (run.json === null)
    return <Empty title="No JSON result.">The message above is all that this run has brought.</Empty>;
  return (
    <div class="stack">
      <Graphs runId={run.id} />
      <Widget run={run} />
      <Section title="JSON result">
        <JsonView value={run.json} what="JSON result" />
      </Section>
    </div>
  );
}

function Graphs({ runId }: { runId: string }): JSX.Element {
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
            <Graph graph={graph} label={visible(title)} />
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

import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { counted, visible } from "../../../../widgets/shared/text.ts";
import type { JsonObject } from "../../../../src/runtime/protocol.ts";
import type { RunView } from "../../contract/index.ts";
import { call } from "../api.ts";
import { instant } from "../format.ts";
import { Badge, RunStatusBadge } from "../parts/badge.tsx";
import { Button, useTask } from "../parts/button.tsx";
import { JsonView } from "../parts/json.tsx";
import { PageHead } from "../parts/layout.tsx";
import { RunTimes } from "../parts/run-facts.tsx";
import { ActionResult, RunMessage } from "../parts/run-result.tsx";
import { StateChanges } from "../parts/state-changes.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { type Tab, Tabs } from "../parts/tabs.tsx";
import { RequestWaterfall } from "../parts/waterfall.tsx";
import { type Resource, useResource } from "../resource.ts";
import { go, type PageProps, setQuery } from "../router.ts";
import { useTitle } from "../title.ts";
import { caseUrl, runUrl } from "../urls.ts";
import { ActionDialog } from "./case/action-dialog.tsx";
import { type ActionOn, graphActions } from "./case/graph-actions.tsx";
import { RunAlerts, RunSample } from "./run/alerts.tsx";
import { RunLog } from "./run/log.tsx";
import { isAbout, Progress } from "./run/progress.tsx";

export function RunPage({ params, query }: PageProps): JSX.Element {
  const id = params["id"] ?? "";
  const run: Resource<RunView> = useResource((signal) => call("GET /runs/:id", { path: { id }, signal }), [id], {
    // Another run of its connector decides whether it can be started again.
    on: (event) => isAbout(id)(event) || (event.type === "run" && event.run.ownerId === run.data?.ownerId),
  });
  return (
    <Loaded of={run} what="Loading the run" lines={8}>
      {(view) => <Run run={view} tab={query.get("tab")} level={query.get("level")} />}
    </Loaded>
  );
}

function Run({ run, tab, level }: { run: RunView; tab: string | null; level: string | null }): JSX.Element {
  const tabs = tabsOf(run);
  useTitle(`${visible(run.name)}, ${instant(run.startedAt)}`);
  const selected = tabs.find(({ id }) => id === tab)?.id ?? tabs[0]?.id ?? "";
  return (
    <>
      <PageHead title={run.name} up={{ href: "/runs", text: "Runs" }} actions={<RunButtons run={run} />}>
        <span class="about-line">
          <RunStatusBadge status={run.status} />
          {run.test && <Badge>Test run</Badge>}
          {run.owner !== run.name && <span>{visible(run.owner)}</span>}
          <RunTimes run={run} />
          {run.caseId !== null && <a href={caseUrl(run.caseId)}>Case {run.caseId}</a>}
        </span>
      </PageHead>
      {run.status === "running" ? <Progress run={run} /> : <RunMessage run={run} />}
      {run.kind === "connector" && !run.test && run.endedAt !== null && (
        <p class="muted">
          {counted(run.alerts, "alert")} with {counted(run.events, "event")} stored
          {run.repeated > 0 && `, ${counted(run.repeated, "alert")} known before`}.
        </p>
      )}
      <Tabs
        label="Parts of the run"
        tabs={tabs}
        selected={selected}
        onSelect={(next) => {
          setQuery({ tab: next });
        }}
      >
        <Panel run={run} tab={selected} level={level} />
      </Tabs>
    </>
  );
}

function tabsOf(run: RunView): Tab[] {
  const lines = Object.values(run.logLevels).reduce((sum, count) => sum + count, 0);
  const requests = { id: "requests", label: "Requests", count: run.requests.length + run.requestsLeft };
  const rest = [{ id: "log", label: "Log", count: lines }];
  const request = { id: "request", label: "Input" };
  if (run.kind === "action") return [{ id: "result", label: "Result" }, requests, ...rest, request];
  if (run.test) return [{ id: "sample", label: "Would create", count: run.sample.length }, requests, ...rest, request];
  const changes = run.stateChanges.length + run.stateChangesLeft;
  return [
    requests,
    ...rest,
    { id: "alerts", label: "Alerts", count: run.alertList.length + run.alertsLeft },
    { id: "state", label: "State", count: changes },
    request,
  ];
}

function Panel({ run, tab, level }: { run: RunView; tab: string; level: string | null }): JSX.Element {
  switch (tab) {
    case "requests":
      return (
        <RequestWaterfall
          runId={run.id}
          server={serverOf(run)}
          requests={run.requests}
          left={run.requestsLeft}
          runMs={run.endedAt === null ? 0 : run.endedAt - run.startedAt}
        />
      );
    case "log":
      return <RunLog run={run} level={level} />;
    case "alerts":
      return <RunAlerts run={run} />;
    case "state":
      return <StateChanges changes={run.stateChanges} left={run.stateChangesLeft} />;
    case "sample":
      return <RunSample sample={run.sample} />;
    case "result":
      return <RunResult run={run} />;
    default:
      return run.request === null ? (
        <Empty title="The input of this run was not kept." />
      ) : (
        <div class="stack">
          <p class="muted">What the plugin got on its standard input. Secrets are replaced.</p>
          <JsonView value={run.request} what="input" open={3} />
        </div>
      );
  }
}

/** The address of the service that a run was given; empty when its input was not kept. */
function serverOf({ request }: RunView): string {
  const { instance, parameters } = (request ?? {}) as { instance?: JsonObject; parameters?: JsonObject };
  const server = instance?.["Server"] ?? parameters?.["Server"];
  return typeof server === "string" ? server : "";
}

/** The result of an action; an object of a drawn path leads on to the next action, in the same case if there is one. */
function RunResult({ run }: { run: RunView }): JSX.Element {
  const [on, setOn] = useState<ActionOn | null>(null);
  return (
    <>
      <ActionResult run={run} actions={graphActions(setOn)} />
      {on !== null && (
        <ActionDialog
          caseId={run.caseId}
          instanceId={run.ownerId}
          on={on}
          onClose={() => {
            setOn(null);
          }}
        />
      )}
    </>
  );
}

function RunButtons({ run }: { run: RunView }): JSX.Element {
  const path = { id: run.id };
  const stop = useTask(async () => {
    await call("POST /runs/:id/stop", { path });
  });
  const rerun = useTask(async () => {
    const { runId } = await call("POST /runs/:id/rerun", { path });
    go(runUrl(runId));
  });
  if (run.status === "running")
    return (
      <Button icon="stop" isBusy={stop.isBusy} onPress={stop.run}>
        Stop
      </Button>
    );
  return (
    <Button
      icon="repeat"
      look="primary"
      isBusy={rerun.isBusy}
      disabled={run.rerunRefusal !== null}
      title={run.rerunRefusal ?? "Start it again with the same input"}
      onPress={rerun.run}
    >
      Rerun
    </Button>
  );
}

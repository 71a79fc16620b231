import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { counted, visible } from "../../../../widgets/shared/text.ts";
import type { ConnectorView, InstanceView, Integration } from "../../contract/index.ts";
import { call } from "../api.ts";
import { useLive } from "../live.ts";
import { ConnectorSwitch, RunButtons } from "../connector/controls.tsx";
import { refreshOverview } from "../overview.ts";
import { Badge, Foreign, RunStatusBadge } from "../parts/badge.tsx";
import { AddButton, NoneConfigured } from "../parts/configured.tsx";
import { PageHead } from "../parts/layout.tsx";
import { Loaded } from "../parts/states.tsx";
import { textOf } from "../parts/parameters.ts";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { useResource } from "../resource.ts";
import { go, type PageProps, setQuery } from "../router.ts";
import { connectorUrl, runUrl } from "../urls.ts";
import { ConnectorDialog } from "./connector-dialog.tsx";
import { durationText } from "../../../../src/text.ts";

interface Listed {
  connectors: ConnectorView[];
  integrations: Integration[];
  instances: InstanceView[];
}

/** Configured connectors: when each runs, and how its last run ended. */
export function ConnectorsPage({ query }: PageProps): JSX.Element {
  const listed = useResource<Listed>(
    async (signal) => {
      const [connectors, { integrations }, instances] = await Promise.all([
        call("GET /connectors", { signal }),
        call("GET /packages", { signal }),
        call("GET /instances", { signal }),
      ]);
      return { connectors, integrations, instances };
    },
    [],
    { on: ({ type }) => type === "connector" || type === "packages" || type === "run" },
  );
  const offered = listed.data?.integrations.filter(({ manifest }) => manifest.connectors.length > 0) ?? [];
  return (
    <>
      <PageHead
        title="Connectors"
        actions={
          offered.length > 0 && (
            <>
              {offered.some(({ manifest }) => manifest.jobs.length > 0) && <AddButton kind="job" />}
              <AddButton kind="connector" />
            </>
          )
        }
      >
        A connector polls a tenant and turns its findings into cases. A job follows up what became of them.
      </PageHead>
      <Loaded of={listed} what="Loading connectors">
        {({ connectors, integrations, instances }) => (
          <>
            {connectors.length === 0 ? (
              <NoneConfigured kind="connector" hasIntegration={integrations.length > 0}>
                Choose environments and finding types of a tenant, and how often to poll them.
              </NoneConfigured>
            ) : (
              <div class="section">
                <Table
                  caption="Connectors"
                  columns={columnsOf(listed.reload)}
                  rows={connectors}
                  keyOf={({ id }) => id}
                  linkOf={({ id }) => connectorUrl(id)}
                />
              </div>
            )}
            {query.has("new") && offered.length > 0 && (
              <ConnectorDialog
                kind={query.get("new") === "job" ? "job" : "connector"}
                integrations={offered}
                instances={instances}
                onClose={() => {
                  setQuery({ new: null });
                }}
                onSaved={(connector) => {
                  void refreshOverview();
                  go(connectorUrl(connector.id));
                }}
              />
            )}
          </>
        )}
      </Loaded>
    </>
  );
}

function columnsOf(changed: () => void): Column<ConnectorView>[] {
  return [
    {
      header: "Connector",
      isMain: true,
      cell: (connector) => (
        <>
          <a href={connectorUrl(connector.id)}>
            <Foreign text={connector.name} />
          </a>{" "}
          {connector.kind === "job" && <Badge look="accent">Job</Badge>}
          <div class="muted small">
            <Foreign text={textOf(connector.parameters["Server"] ?? connector.integration)} />
          </div>
        </>
      ),
    },
    {
      header: "Schedule",
      width: "190px",
      cell: (connector) => (
        <>
          <ConnectorSwitch connector={connector} changed={changed} />
          <div class="muted small">
            <NextRun connector={connector} />
          </div>
        </>
      ),
    },
    { header: "Last run", width: "25%", cell: (connector) => <LastRun connector={connector} /> },
    {
      header: "Ingested",
      width: "130px",
      align: "end",
      cell: ({ kind, cases, events }) =>
        kind === "connector" && (
          <>
            {counted(cases, "case")}
            <div class="muted small">{counted(events, "event")}</div>
          </>
        ),
    },
    {
      header: "Run",
      width: "240px",
      align: "end",
      cell: (connector) => <RunButtons connector={connector} size="small" changed={changed} />,
    },
  ];
}

export function NextRun({ connector }: { connector: ConnectorView }): JSX.Element {
  const { enabled, nextRunAt, runEveryMs, runningId } = connector;
  const every = `every ${durationText(runEveryMs)}`;
  if (!enabled) return <>Off, {every} when enabled</>;
  if (runningId !== null || nextRunAt === null) return <>{every}</>;
  return (
    <>
      {every}, next <Time at={nextRunAt} />
    </>
  );
}

export function LastRun({ connector }: { connector: ConnectorView }): JSX.Element {
  const { lastRun, runningId } = connector;
  if (runningId !== null)
    return (
      <a href={runUrl(runningId)}>
        <RunStatusBadge status="running" /> <RunProgress runId={runningId} />
      </a>
    );
  if (lastRun === null) return <span class="muted">Never ran</span>;
  return (
    <>
      <span class="row">
        <RunStatusBadge status={lastRun.status} />
        <a class="small" href={runUrl(lastRun.id)}>
          <Time at={lastRun.at} />
        </a>
      </span>
      <div class="muted small clamped">{visible(lastRun.message)}</div>
    </>
  );
}

/** How far a run is, according to the last progress that it reported while this page is open. */
function RunProgress({ runId }: { runId: string }): JSX.Element | null {
  const [text, setText] = useState<string | null>(null);
  useLive((event) => {
    if (event.type !== "progress" || event.runId !== runId) return;
    setText(`${event.done} of ${event.total} ${event.label}`);
  });
  return text === null ? null : <span class="small number">{visible(text)}</span>;
}

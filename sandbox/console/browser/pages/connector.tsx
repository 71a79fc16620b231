import type { ComponentChildren, JSX } from "preact";
import { useMemo, useState } from "preact/hooks";
import { counted } from "../../../../widgets/shared/text.ts";
import type { ConnectorView } from "../../contract/index.ts";
import { call } from "../api.ts";
import { ConnectorSwitch, RunButtons } from "../connector/controls.tsx";
import { ConnectorForm } from "../connector/form.tsx";
import { ConnectorRuns } from "../connector/runs.tsx";
import { ConnectorStateView } from "../connector/state.tsx";
import { Foreign } from "../parts/badge.tsx";
import { Button, useTask } from "../parts/button.tsx";
import { confirmed } from "../parts/dialog.tsx";
import { Facts, PageHead } from "../parts/layout.tsx";
import { isSameDraft } from "../parts/parameters.ts";
import { useParameters } from "../parts/parameter-fields.tsx";
import { Failed, Loaded } from "../parts/states.tsx";
import { Tabs } from "../parts/tabs.tsx";
import { useUnsaved } from "../parts/unsaved.ts";
import { toast } from "../toast.ts";
import { useResource } from "../resource.ts";
import { go, type PageProps, setQuery } from "../router.ts";
import { LastRun, NextRun } from "./connectors.tsx";

const tabs = [
  { id: "state", label: "State" },
  { id: "runs", label: "Runs" },
  { id: "configuration", label: "Configuration" },
] as const;

/** One connector: how it runs, what it remembers, and how it is configured. */
export function ConnectorPage({ params, query }: PageProps): JSX.Element {
  const id = params["id"] ?? "";
  const connector = useResource(
    async (signal) => {
      const all = await call("GET /connectors", { signal });
      return all.find((known) => known.id === id) ?? null;
    },
    [],
    {
      on: (event) =>
        (event.type === "connector" && event.id === id) || (event.type === "run" && event.run.ownerId === id),
    },
  );
  const { data, isLoading } = connector;
  if (data === null && !isLoading && connector.error === null)
    return (
      <>
        <PageHead title="Connector" up={{ href: "/connectors", text: "Connectors" }} />
        <Failed error={new Error("This connector does not exist. It may have been deleted.")} />
      </>
    );
  const tab = tabs.find((known) => known.id === query.get("tab"))?.id ?? "state";
  return (
    <Loaded of={connector} what="Loading the connector">
      {(view) => (
        <>
          <Head connector={view} changed={connector.reload} />
          <Tabs
            label="Parts of the connector"
            tabs={tabs}
            selected={tab}
            onSelect={(next) => {
              setQuery({ tab: next });
            }}
          >
            {panel(tab, view, connector.reload)}
          </Tabs>
        </>
      )}
    </Loaded>
  );
}

function panel(tab: (typeof tabs)[number]["id"], connector: ConnectorView, changed: () => void): ComponentChildren {
  if (tab === "runs") return <ConnectorRuns connectorId={connector.id} />;
  if (tab === "configuration") return <Configuration connector={connector} changed={changed} />;
  return <ConnectorStateView connector={connector} />;
}

function Head({ connector, changed }: { connector: ConnectorView; changed: () => void }): JSX.Element {
  const { cases, events, id, kind } = connector;
  const ingested: [string, JSX.Element] = [
    "Ingested",
    <span key="ingested" class="number">
      <a href={`/cases?status=all&connector=${encodeURIComponent(id)}`}>{counted(cases, "case")}</a>,{" "}
      {counted(events, "event")}
    </span>,
  ];
  return (
    <>
      <PageHead
        title={<Foreign text={connector.name} />}
        up={{ href: "/connectors", text: "Connectors" }}
        actions={<RunButtons connector={connector} changed={changed} />}
      >
        {connector.description}
      </PageHead>
      <div class="section">
        <div class="section-body">
          <Facts
            of={[
              ["Schedule", <ConnectorSwitch key="switch" connector={connector} changed={changed} />],
              ["Interval", <NextRun key="next" connector={connector} />],
              ["Last run", <LastRun key="last" connector={connector} />],
              ...(kind === "connector" ? [ingested] : []),
            ]}
          />
        </div>
      </div>
    </>
  );
}

function Configuration({ connector, changed }: { connector: ConnectorView; changed: () => void }): JSX.Element {
  const { id, kind, integration, declared, parameters, secrets } = connector;
  const form = useParameters(declared, parameters, secrets);
  const [name, setName] = useState(connector.name);
  const [saved, setSaved] = useState({ name, draft: form.draft });
  const leave = useUnsaved(name !== saved.name || !isSameDraft(form.draft, saved.draft));
  const choices = useMemo(
    () => (signal: AbortSignal) => call("GET /connectors/:id/choices", { path: { id }, signal }),
    [id],
  );
  const save = useTask(async () => {
    const values = form.take();
    if (values === null) return;
    try {
      await call("PUT /connectors/:id", { path: { id }, body: { integration, name, parameters: values } });
      toast(`${name} was saved. Its state stays.`);
      setSaved({ name, draft: form.draft });
      changed();
    } catch (error) {
      if (!form.complain(error)) throw error;
    }
  });
  const remove = useTask(async () => {
    const text = `Its state and its secrets are deleted. Its runs and cases stay. A new ${kind} ${
      kind === "job" ? "begins every wait again" : "reads every finding again"
    }.`;
    if (!(await confirmed({ title: `Delete ${connector.name}?`, text, confirm: `Delete ${kind}`, isDangerous: true })))
      return;
    await call("DELETE /connectors/:id", { path: { id } });
    toast(`${connector.name} was deleted.`);
    leave();
    go("/connectors");
  });
  return (
    <div class="section">
      <div class="section-body narrow stack">
        <ConnectorForm kind={kind} form={form} name={name} onName={setName} choices={choices} onSubmit={save.run} />
        <div class="actions">
          <Button look="primary" isBusy={save.isBusy} onPress={save.run}>
            Save
          </Button>
          <Button look="danger" icon="trash" isBusy={remove.isBusy} onPress={remove.run}>
            Delete {kind}
          </Button>
        </div>
      </div>
    </div>
  );
}

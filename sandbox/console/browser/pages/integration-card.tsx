import type { JSX } from "preact";
import { counted, visible } from "../../../../widgets/shared/text.ts";
import type { InstalledVersion, Integration, Removal } from "../../contract/index.ts";
import { call } from "../api.ts";
import { refreshOverview } from "../overview.ts";
import { Badge } from "../parts/badge.tsx";
import { Button, LinkButton, useTask } from "../parts/button.tsx";
import { Contents, Licences } from "../parts/contents.tsx";
import { confirmed } from "../parts/dialog.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { toast } from "../toast.ts";

/** An installed integration with all of its versions. */
export function IntegrationCard({
  integration,
  changed,
}: {
  integration: Integration;
  changed: () => void;
}): JSX.Element {
  const { identifier, manifest, instances, connectors } = integration;
  const remove = useTask(async () => {
    const path = { identifier };
    const removal = await call("GET /integrations/:identifier/removal", { path });
    const title = `Uninstall ${manifest.name}?`;
    const text = <RemovalList removal={removal} />;
    if (!(await confirmed({ title, text, confirm: "Uninstall", isDangerous: true }))) return;
    await call("DELETE /integrations/:identifier", { path });
    toast(`${manifest.name} was uninstalled.`);
    changed();
    void refreshOverview();
  });
  return (
    <article class="section" aria-label={manifest.name}>
      <header class="section-head">
        <div class="row">
          <h2>{visible(manifest.name)}</h2>
          <Badge look="good">{manifest.version}</Badge>
          <span class="muted">
            {counted(instances, "instance")}, {counted(connectors, "connector")}
          </span>
        </div>
        <div class="actions">
          <LinkButton size="small" icon="plus" href="/instances?new=instance">
            Add instance
          </LinkButton>
          <Button size="small" look="danger" icon="trash" isBusy={remove.isBusy} onPress={remove.run}>
            Uninstall
          </Button>
        </div>
      </header>
      <div class="section-body stack">
        <p class="muted">{visible(manifest.description)}</p>
        <Contents contents={integration.contents} />
        <div>
          <details open={integration.versions.length > 1}>
            <summary>Versions ({integration.versions.length})</summary>
            <Versions integration={integration} changed={changed} />
          </details>
          <details>
            <summary>Release notes</summary>
            <Markdown text={integration.releaseNotes} />
          </details>
          <Licences licences={integration.licences} />
        </div>
      </div>
    </article>
  );
}

function Versions({ integration, changed }: { integration: Integration; changed: () => void }): JSX.Element {
  const { identifier, versions } = integration;
  const use = useTask(async ({ id, version }: InstalledVersion) => {
    await call("POST /integrations/:identifier/use", { path: { identifier }, body: { packageId: id } });
    toast(`Version ${version} is in use. State, cases and instances were kept.`);
    changed();
    void refreshOverview();
  });
  const current = versions.findIndex(({ inUse }) => inUse);
  const columns: Column<InstalledVersion>[] = [
    {
      header: "Version",
      isMain: true,
      width: "180px",
      cell: ({ version, inUse }) => (
        <span class="row">
          {version} {inUse && <Badge look="good">In use</Badge>}
        </span>
      ),
    },
    { header: "SHA-256", isExtra: true, cell: ({ sha256 }) => <span class="mono muted">{sha256.slice(0, 16)}…</span> },
    { header: "Installed", width: "130px", cell: ({ installedAt }) => <Time at={installedAt} /> },
    {
      header: "Action",
      width: "150px",
      align: "end",
      cell: (row) =>
        row.inUse ? null : (
          <Button
            size="small"
            isBusy={use.isBusy}
            label={`${versions.indexOf(row) > current ? "Roll back" : "Use"}: version ${row.version}`}
            onPress={() => {
              use.run(row);
            }}
          >
            {versions.indexOf(row) > current ? "Roll back" : "Use"}
          </Button>
        ),
    },
  ];
  return <Table caption="Installed versions" columns={columns} rows={versions} keyOf={({ id }) => id} />;
}

function RemovalList({ removal }: { removal: Removal }): JSX.Element {
  const goes = [
    [removal.instances, "Instance"],
    [removal.connectors, "Connector"],
    [removal.playbooks, "Playbook"],
    [removal.versions, "Version"],
  ] as const;
  return (
    <>
      <p>This is deleted from this host:</p>
      <ul class="bullets">
        {goes.flatMap(([names, kind]) =>
          names.map((name) => <li key={`${kind} ${name}`}>{`${kind} ${visible(name)}`}</li>),
        )}
      </ul>
      <p>
        {counted(removal.keptCases, "case")} and {counted(removal.keptRuns, "run")} stay: they are a record.
      </p>
    </>
  );
}

import type { JSX } from "preact";
import type { InstanceView, Integration } from "../../contract/index.ts";
import { call } from "../api.ts";
import { refreshOverview } from "../overview.ts";
import { Foreign } from "../parts/badge.tsx";
import { Button, useTask } from "../parts/button.tsx";
import { AddButton, NoneConfigured } from "../parts/configured.tsx";
import { confirmed } from "../parts/dialog.tsx";
import { Facts, PageHead } from "../parts/layout.tsx";
import { textOf } from "../parts/parameters.ts";
import { Loaded } from "../parts/states.tsx";
import { toast } from "../toast.ts";
import { useResource } from "../resource.ts";
import { type PageProps, setQuery } from "../router.ts";
import { InstanceDialog } from "./instance-dialog.tsx";
import { MetaTreeDialog } from "./instance/meta-tree-dialog.tsx";
import { Outcome, TestBadge } from "./instance/outcome.tsx";

interface Listed {
  instances: InstanceView[];
  integrations: Integration[];
}

/** Configured instances, each with the outcome of its last Ping. */
export function InstancesPage({ query }: PageProps): JSX.Element {
  const listed = useResource<Listed>(
    async (signal) => {
      const [instances, { integrations }] = await Promise.all([
        call("GET /instances", { signal }),
        call("GET /packages", { signal }),
      ]);
      return { instances, integrations };
    },
    [],
    { on: ({ type }) => type === "packages" || type === "instances" },
  );
  const close = (): void => {
    setQuery({ new: null, edit: null, tree: null, environment: null });
  };
  const saved = (): void => {
    close();
    listed.reload();
    void refreshOverview();
  };
  return (
    <>
      <PageHead
        title="Instances"
        actions={(listed.data?.integrations.length ?? 0) > 0 && <AddButton kind="instance" />}
      >
        An instance holds the address and the credentials that actions use.
      </PageHead>
      <Loaded of={listed} what="Loading instances">
        {({ instances, integrations }) => (
          <>
            {instances.length === 0 && (
              <NoneConfigured kind="instance" hasIntegration={integrations.length > 0}>
                Enter the address of a tenant and an API token. Testing the instance runs Ping.
              </NoneConfigured>
            )}
            {instances.map((instance) => (
              <InstanceCard key={instance.id} instance={instance} changed={listed.reload} />
            ))}
            {query.has("new") && integrations.length > 0 && (
              <InstanceDialog instance={null} integrations={integrations} onClose={close} onSaved={saved} />
            )}
            {instances
              .filter(({ id }) => id === query.get("edit"))
              .map((instance) => (
                <InstanceDialog key={instance.id} {...{ instance, integrations }} onClose={close} onSaved={saved} />
              ))}
            {instances
              .filter(({ id }) => id === query.get("tree"))
              .map((instance) => (
                <MetaTreeDialog
                  key={instance.id}
                  instance={instance}
                  chosen={query.get("environment")}
                  onClose={close}
                />
              ))}
          </>
        )}
      </Loaded>
    </>
  );
}

function InstanceCard({ instance, changed }: { instance: InstanceView; changed: () => void }): JSX.Element {
  const { id, name, integration, parameters, secrets, declared, lastTest } = instance;
  const test = useTask(async () => {
    const outcome = await call("POST /instances/:id/test", { path: { id } });
    if (outcome.ok) void refreshOverview();
    changed();
  });
  const remove = useTask(async () => {
    const text = "Actions can no longer use it. Its runs and cases stay. Its secrets are deleted from this host.";
    if (!(await confirmed({ title: `Delete ${name}?`, text, confirm: "Delete instance", isDangerous: true }))) return;
    await call("DELETE /instances/:id", { path: { id } });
    toast(`${name} was deleted.`);
    changed();
    void refreshOverview();
  });
  return (
    <article class="section" aria-label={name}>
      <header class="section-head">
        <div class="row">
          <h2>
            <Foreign text={name} />
          </h2>
          <span class="muted">{integration}</span>
          <TestBadge outcome={lastTest} />
        </div>
        <div class="actions">
          <Button size="small" icon="bolt" isBusy={test.isBusy} label={`Test ${name}`} onPress={test.run}>
            Test
          </Button>
          <Button
            size="small"
            icon="tree"
            label={`Ways into Tier Zero of ${name}`}
            onPress={() => {
              setQuery({ tree: id });
            }}
          >
            Ways into Tier Zero
          </Button>
          <Button
            size="small"
            icon="edit"
            label={`Edit ${name}`}
            onPress={() => {
              setQuery({ edit: id });
            }}
          >
            Edit
          </Button>
          <Button
            size="small"
            icon="trash"
            look="danger"
            isBusy={remove.isBusy}
            label={`Delete ${name}`}
            onPress={remove.run}
          >
            Delete
          </Button>
        </div>
      </header>
      <div class="section-body stack">
        {lastTest !== null && <Outcome outcome={lastTest} />}
        <Facts
          of={declared.map((parameter) => [
            parameter.name,
            parameter.secret ? (
              <span class="muted">{secrets.includes(parameter.name) ? "Set, never shown" : "Not set"}</span>
            ) : (
              <Foreign text={textOf(parameters[parameter.name] ?? "–")} />
            ),
          ])}
        />
      </div>
    </article>
  );
}

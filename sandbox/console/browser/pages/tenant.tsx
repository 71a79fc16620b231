import type { JSX } from "preact";
import { integer, visible } from "../../../../widgets/shared/text.ts";
import type { TenantCommand, TenantView } from "../../contract/index.ts";
import { dialectText } from "../parts/dialect.ts";
import { call } from "../api.ts";
import { Badge, Foreign } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { Facts, PageHead, Section } from "../parts/layout.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { failed, toast } from "../toast.ts";
import { type Resource, useResource } from "../resource.ts";
import type { PageProps } from "../router.ts";
import { overview, refreshOverview } from "../overview.ts";
import { FaultPanel } from "../tenant/fault-panel.tsx";
import { FindingPanel } from "../tenant/finding-panel.tsx";
import { TimePanel } from "../tenant/time-panel.tsx";

/** Tells the tenant to do something; its one sentence is shown. */
export type Perform = (command: TenantCommand) => Promise<void>;

/** The controls of the simulated tenant, to watch what the plugin makes of it. */
export function TenantPage({ query }: PageProps): JSX.Element {
  const tenant = useResource((signal) => call("GET /tenant", { signal }), [], {
    on: ({ type }) => type === "tenant" || type === "run",
  });
  if (overview.value?.simulated === false) return <NoTenant />;
  return (
    <>
      <PageHead title="Simulated tenant">
        Change what the service holds, or how it behaves, then run a connector and see what the plugin makes of it.
      </PageHead>
      <Loaded of={tenant} what="Loading the tenant">
        {(view) => <Controls tenant={view} perform={performer(tenant)} query={query} />}
      </Loaded>
    </>
  );
}

function performer(tenant: Resource<TenantView>): Perform {
  return async (command) => {
    try {
      const answer = await call("POST /tenant", { body: command });
      tenant.replace(answer.tenant);
      // The clock of the host goes with that of the tenant.
      await refreshOverview();
      toast(answer.message);
    } catch (error) {
      failed(error);
    }
  };
}

function NoTenant(): JSX.Element {
  return (
    <>
      <PageHead title="Simulated tenant" />
      <Empty icon="tenant" title="There is no simulated tenant">
        The console runs against a real one, whose data cannot be changed from here.
      </Empty>
    </>
  );
}

function Controls(props: { tenant: TenantView; perform: Perform; query: URLSearchParams }): JSX.Element {
  const { tenant, perform, query } = props;
  const { reachable, isAnalysing, requests, url, dialect, faults } = tenant;
  return (
    <>
      <Section
        title="State"
        actions={
          <>
            {isAnalysing ? (
              <Button size="small" icon="check" onPress={() => void perform({ do: "end_analysis" })}>
                End the analysis
              </Button>
            ) : (
              <>
                <Button size="small" look="primary" icon="play" onPress={() => void perform({ do: "analyse" })}>
                  Run an analysis
                </Button>
                <Button size="small" onPress={() => void perform({ do: "begin_analysis" })}>
                  Begin one and leave it running
                </Button>
              </>
            )}
            <Button
              size="small"
              look={reachable ? "danger" : "primary"}
              onPress={() => void perform({ do: reachable ? "go_away" : "come_back" })}
            >
              {reachable ? "Close its port" : "Open its port"}
            </Button>
          </>
        }
      >
        <Facts
          of={[
            ["Address", <code key="url">{url}</code>],
            [
              "Reachable",
              <Badge key="reachable" look={reachable ? "good" : "danger"}>
                {reachable ? "Yes" : "Port closed"}
              </Badge>,
            ],
            [
              "Analysis",
              <Badge key="analysis" look={isAnalysing ? "accent" : "plain"}>
                {isAnalysing ? "Running" : "Idle"}
              </Badge>,
            ],
            [
              "Requests so far",
              <span key="requests" class="number">
                {integer(requests)}
              </span>,
            ],
            [
              "Faults injected",
              <Badge key="faults" look={faults.length > 0 ? "warning" : "plain"}>
                {faults.length}
              </Badge>,
            ],
            ["How requests are signed", visible(dialectText(dialect))],
          ]}
        />
      </Section>
      <div class="two-columns">
        <FaultPanel faults={faults} perform={perform} />
        <TimePanel tenant={tenant} perform={perform} />
      </div>
      <Environments tenant={tenant} perform={perform} />
      <FindingPanel tenant={tenant} perform={perform} query={query} />
    </>
  );
}

function Environments({ tenant, perform }: { tenant: TenantView; perform: Perform }): JSX.Element {
  return (
    <Section title="Environments">
      <ul class="cards">
        {tenant.environments.map(({ id, name, type, collected, findingTypes, findings }) => (
          <li key={id} class="card">
            <p class="headline">
              <Foreign text={name} />
            </p>
            <p class="muted">
              {visible(type)}
              {collected ? `, ${findingTypes.length} finding types, ${findings} findings` : ", no collected data"}
            </p>
            {collected && (
              <Button
                size="small"
                label={`Run an analysis of ${name}`}
                onPress={() => void perform({ do: "analyse", environmentId: id })}
              >
                Run an analysis
              </Button>
            )}
            {collected && <EnvironmentTrouble id={id} name={name} perform={perform} />}
          </li>
        ))}
      </ul>
    </Section>
  );
}

/** What happens to environments that looks like a remediation and is none. */
function EnvironmentTrouble({ id, name, perform }: { id: string; name: string; perform: Perform }): JSX.Element {
  const troubles: readonly { text: string; label: string; command: TenantCommand }[] = [
    { text: "Renew ids", label: `Renew ids: ${name}`, command: { do: "renew_ids", environmentId: id } },
    {
      text: "No collection for 8 days",
      label: `No collection for 8 days: ${name}`,
      command: { do: "stop_collector", environmentId: id, days: 8 },
    },
    { text: "Drop", label: `Drop: ${name}`, command: { do: "drop_environment", environmentId: id } },
  ];
  return (
    <span class="actions">
      {troubles.map(({ text, label, command }) => (
        <Button key={text} size="small" look="quiet" label={label} onPress={() => void perform(command)}>
          {text}
        </Button>
      ))}
    </span>
  );
}

import type { JSX } from "preact";
import { counted } from "../../../../widgets/shared/text.ts";
import type { TenantFinding, TenantView } from "../../contract/index.ts";
import { call } from "../api.ts";
import { usePart } from "../paged.ts";
import { Badge, capitalised, Foreign } from "../parts/badge.tsx";
import { Button } from "../parts/button.tsx";
import { Select } from "../parts/field.tsx";
import { Section } from "../parts/layout.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { type Column, More, Table } from "../parts/table.tsx";
import { useResource } from "../resource.ts";
import { setQuery } from "../router.ts";
import type { Perform } from "../pages/tenant.tsx";

interface PanelProps {
  tenant: TenantView;
  perform: Perform;
  query: URLSearchParams;
}

/** The findings of one type in one environment, to add to, accept and remediate. */
export function FindingPanel({ tenant, perform, query }: PanelProps): JSX.Element | null {
  const environments = tenant.environments.filter(({ collected }) => collected);
  const environment = environments.find(({ id }) => id === query.get("environment")) ?? environments[0];
  if (environment === undefined) return null;
  const wanted = query.get("type");
  const findingType =
    wanted !== null && environment.findingTypes.includes(wanted) ? wanted : (environment.findingTypes[0] ?? null);
  return (
    <Section
      title="Findings"
      actions={
        <>
          <Select
            label="Environment"
            value={environment.id}
            options={environments.map(({ id, name }) => ({ value: id, text: name }))}
            onChange={(id) => {
              setQuery({ environment: id, type: null });
            }}
          />
          <Select
            label="Finding type"
            value={findingType}
            options={environment.findingTypes.map((type) => ({ value: type, text: type }))}
            onChange={(type) => {
              setQuery({ environment: environment.id, type });
            }}
          />
        </>
      }
    >
      {findingType === null ? (
        <Empty title="This environment has no finding types" />
      ) : (
        <Findings
          key={`${environment.id} ${findingType}`}
          environmentId={environment.id}
          findingType={findingType}
          perform={perform}
        />
      )}
      {tenant.remediated.length > 0 && <Remediated findings={tenant.remediated} perform={perform} />}
    </Section>
  );
}

/** What a person has remediated, to bring it back. */
function Remediated({ findings, perform }: { findings: readonly TenantFinding[]; perform: Perform }): JSX.Element {
  return (
    <div class="stack">
      <h3>Remediated</h3>
      <ul class="plain-list">
        {findings.map(({ environmentId, findingType, id, target }) => (
          <li key={id} class="row">
            <Button
              size="small"
              icon="repeat"
              label={`Bring back finding ${id}`}
              onPress={() => void perform({ do: "bring_back", environmentId, findingType, id })}
            >
              Bring back
            </Button>
            <span class="mono">{id}</span>
            <Foreign text={`${findingType}, ${target}`} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function Findings(props: { environmentId: string; findingType: string; perform: Perform }): JSX.Element {
  const { environmentId, findingType, perform } = props;
  const findings = useResource(
    (signal) => call("GET /tenant/findings", { query: { environmentId, findingType }, signal }),
    [],
    { on: ({ type }) => type === "tenant" },
  );
  const shown = usePart(findings.data ?? [], 50);
  const add = (count: number): void => {
    void perform({ do: "add_findings", environmentId, findingType, count });
  };
  return (
    <div class="stack">
      <div class="row">
        {[1, 10, 100].map((count) => (
          <Button
            key={count}
            size="small"
            icon="plus"
            onPress={() => {
              add(count);
            }}
          >
            {`Add ${counted(count, "finding")}`}
          </Button>
        ))}
        <span class="muted small">A connector reads them after the next analysis, or an hour after its last read.</span>
      </div>
      <Loaded of={findings} what="Loading findings">
        {(rows) =>
          rows.length === 0 ? (
            <Empty title="No findings of this type" />
          ) : (
            <>
              <Table
                caption={`Findings of type ${findingType}`}
                columns={columnsOf(perform)}
                rows={shown.rows}
                keyOf={({ id }) => id}
              />
              <More of={shown} what="findings" />
            </>
          )
        }
      </Loaded>
    </div>
  );
}

function columnsOf(perform: Perform): Column<TenantFinding>[] {
  const act = (finding: TenantFinding, what: "accept_finding" | "remediate_finding" | "delete_finding"): void => {
    const { environmentId, findingType, id } = finding;
    void perform({ do: what, environmentId, findingType, id });
  };
  return [
    { header: "Id", width: "80px", cell: ({ id }) => <span class="mono">{id}</span> },
    {
      header: "Source",
      cell: ({ source }) => (source === null ? <span class="muted">–</span> : <Foreign text={source} />),
    },
    { header: "Target", isMain: true, cell: ({ target }) => <Foreign text={target} /> },
    { header: "Severity", width: "110px", cell: ({ severity }) => capitalised(severity) },
    {
      header: "Status",
      width: "100px",
      cell: ({ accepted }) => (accepted ? <Badge look="warning">Accepted</Badge> : <Badge>Open</Badge>),
    },
    {
      header: "Actions",
      width: "270px",
      align: "end",
      cell: (finding) => (
        <span class="actions end">
          {!finding.accepted && (
            <Button
              size="small"
              label={`Accept finding ${finding.id}`}
              onPress={() => {
                act(finding, "accept_finding");
              }}
            >
              Accept
            </Button>
          )}
          <Button
            size="small"
            label={`Delete finding ${finding.id}`}
            onPress={() => {
              act(finding, "delete_finding");
            }}
          >
            Delete
          </Button>
          <Button
            size="small"
            label={`Remediate finding ${finding.id}`}
            onPress={() => {
              act(finding, "remediate_finding");
            }}
          >
            Remediate
          </Button>
        </span>
      ),
    },
  ];
}

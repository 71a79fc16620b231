import type { JSX } from "preact";
import { counted, integer, visible } from "../../../../widgets/shared/text.ts";
import type { Severity } from "../../../../src/runtime/protocol.ts";
import type { CaseFacets, CaseRow, CasesQuery } from "../../contract/index.ts";
import { call } from "../api.ts";
import { ClearFilters, given, oneOf, SeverityFilter, severityIn } from "../parts/list-filters.tsx";
import { usePaged } from "../paged.ts";
import { Badge, capitalised, Foreign, SeverityBadge, Tag } from "../parts/badge.tsx";
import { LinkButton } from "../parts/button.tsx";
import { SearchField, Select } from "../parts/field.tsx";
import { PageHead } from "../parts/layout.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { type Column, More, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { useResource } from "../resource.ts";
import { type PageProps, setQuery } from "../router.ts";
import { caseUrl } from "../urls.ts";

const sorts = [
  { value: "severity", text: "Worst first" },
  { value: "updated", text: "Newest first" },
  { value: "events", text: "Most events first" },
] as const;

const columns: readonly Column<CaseRow>[] = [
  { header: "Severity", width: "104px", cell: ({ severity }) => <SeverityBadge severity={severity} /> },
  {
    header: "Case",
    isMain: true,
    cell: ({ id, title, status, tags }) => (
      <>
        <a href={caseUrl(id)}>
          <span class="muted number">#{id}</span> <Foreign text={title} />
        </a>{" "}
        {status === "closed" && <Badge>Closed</Badge>} <TagList tags={tags} />
      </>
    ),
  },
  { header: "Environment", width: "18%", cell: ({ environmentName }) => <Foreign text={environmentName} /> },
  { header: "Alerts", width: "74px", align: "end", cell: ({ alerts }) => integer(alerts) },
  { header: "Events", width: "84px", align: "end", cell: ({ events }) => integer(events) },
  { header: "Entities", width: "84px", align: "end", isExtra: true, cell: ({ entities }) => integer(entities) },
  { header: "Updated", width: "104px", cell: ({ updatedAt }) => <Time at={updatedAt} /> },
];

function TagList({ tags }: { tags: readonly string[] }): JSX.Element {
  return (
    <>
      {tags.map((tag) => (
        <Tag key={tag} look="accent" tag={tag} />
      ))}
    </>
  );
}

export function CasesPage({ query }: PageProps): JSX.Element {
  const status = oneOf(query.get("status"), ["open", "closed", "all"]) ?? "open";
  const filter = {
    status: status === "all" ? null : status,
    severity: severityIn(query),
    environment: query.get("environment"),
    tag: query.get("tag"),
    connector: query.get("connector"),
    text: query.get("text"),
    sort: oneOf(query.get("sort"), ["severity", "updated", "events"]) ?? "severity",
  };
  const on = ({ type }: { type: string }) => type === "case";
  const cases = usePaged(
    (cursor, signal) => call("GET /cases", { query: given<CasesQuery>({ ...filter, cursor, limit: 50 }), signal }),
    Object.values(filter),
    on,
  );
  const facets = useResource((signal) => call("GET /cases/facets", { signal }), [], { on });
  const narrowing = ["severity", "environment", "tag", "connector", "text"].filter(
    (name) => (query.get(name) ?? "") !== "",
  );
  return (
    <>
      <PageHead title="Cases">Alerts about the same thing, grouped as the package says.</PageHead>
      <div class="filters">
        <SearchField
          label="Search titles, entities and finding types"
          value={filter.text ?? ""}
          onInput={(text) => {
            setQuery({ text });
          }}
        />
        <Filters status={status} filter={filter} facets={facets.data} />
        {narrowing.length > 0 && <ClearFilters names={narrowing} />}
      </div>
      <Loaded of={cases} what="Loading cases" lines={10}>
        {() =>
          cases.rows.length === 0 ? (
            <NoCases narrowing={narrowing} status={status} facets={facets.data} />
          ) : (
            <div class="section">
              <Table
                caption="Cases"
                columns={columns}
                rows={cases.rows}
                keyOf={({ id }) => id}
                linkOf={({ id }) => caseUrl(id)}
                isStale={cases.isLoading && narrowing.length > 0}
              />
              <More of={cases} what="cases" />
            </div>
          )
        }
      </Loaded>
    </>
  );
}

function Filters(props: {
  status: string;
  filter: {
    severity: Severity | null;
    environment: string | null;
    tag: string | null;
    connector: string | null;
    sort: string;
  };
  facets: CaseFacets | null;
}): JSX.Element {
  const { status, filter, facets } = props;
  const set = (name: string) => (value: string | null) => {
    setQuery({ [name]: value });
  };
  return (
    <>
      <Select
        label="Status"
        value={status}
        options={["open", "closed", "all"].map((value) => ({
          value,
          text: value === "all" ? "Open and closed" : capitalised(value),
        }))}
        onChange={set("status")}
      />
      <SeverityFilter value={filter.severity} />
      <Select
        label="Environment"
        any="Any environment"
        value={filter.environment}
        options={(facets?.environments ?? []).map(({ name, cases }) => ({
          value: name,
          text: `${visible(name)} (${cases})`,
        }))}
        onChange={set("environment")}
      />
      {((facets?.tags.length ?? 0) > 0 || filter.tag !== null) && (
        <Select
          label="Tag"
          any="Any tag"
          value={filter.tag}
          options={(facets?.tags ?? []).map(({ tag, cases }) => ({ value: tag, text: `${visible(tag)} (${cases})` }))}
          onChange={set("tag")}
        />
      )}
      {filter.connector !== null && <ConnectorFilter id={filter.connector} onChange={set("connector")} />}
      <Select label="Order" value={filter.sort} options={sorts} onChange={set("sort")} />
    </>
  );
}

/** Where a connector's page has led here. */
function ConnectorFilter(props: { id: string; onChange: (id: string | null) => void }): JSX.Element {
  const connectors = useResource((signal) => call("GET /connectors", { signal }), []);
  const known = connectors.data ?? [];
  return (
    <Select
      label="Connector"
      any="Any connector"
      value={props.id}
      options={[
        ...known.map(({ id, name }) => ({ value: id, text: visible(name) })),
        ...(known.some(({ id }) => id === props.id) ? [] : [{ value: props.id, text: "One connector" }]),
      ]}
      onChange={props.onChange}
    />
  );
}

function NoCases(props: { narrowing: readonly string[]; status: string; facets: CaseFacets | null }): JSX.Element {
  const { narrowing, status, facets } = props;
  const hasAny = (facets?.severities ?? []).some(({ cases }) => cases > 0);
  if (narrowing.length > 0)
    return (
      <Empty icon="search" title="No case matches." actions={<ClearFilters names={narrowing} />}>
        Change or clear the filters.
      </Empty>
    );
  if (hasAny)
    return (
      <Empty
        icon="check"
        title={`No ${status} cases.`}
        actions={<LinkButton href="/cases?status=all">Show all cases</LinkButton>}
      >
        {counted(
          (facets?.severities ?? []).reduce((sum, { cases }) => sum + cases, 0),
          "case",
        )}{" "}
        in all.
      </Empty>
    );
  return (
    <Empty
      icon="cases"
      title="There are no cases yet."
      actions={
        <LinkButton href="/connectors" look="primary">
          Go to Connectors
        </LinkButton>
      }
    >
      A connector opens them when it finds attack paths. Run one to begin.
    </Empty>
  );
}

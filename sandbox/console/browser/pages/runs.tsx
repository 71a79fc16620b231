import type { JSX } from "preact";
import type { RunRow, RunsQuery } from "../../contract/index.ts";
import { call } from "../api.ts";
import { ClearFilters, given, oneOf } from "../parts/list-filters.tsx";
import { usePaged } from "../paged.ts";
import { Badge, capitalised, Foreign } from "../parts/badge.tsx";
import { LinkButton } from "../parts/button.tsx";
import { SearchField, Select } from "../parts/field.tsx";
import { PageHead } from "../parts/layout.tsx";
import { resultColumn, statusColumn, Took } from "../parts/run-facts.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { type Column, More, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { type PageProps, setQuery } from "../router.ts";
import { runUrl } from "../urls.ts";

const statuses = ["running", "completed", "partial", "failed", "crashed", "interrupted", "stopped"];

const columns: readonly Column<RunRow>[] = [
  statusColumn,
  {
    header: "Run",
    width: "24%",
    isMain: true,
    cell: ({ id, name, owner, test }) => (
      <>
        <a href={runUrl(id)}>{name}</a> {test && <Badge>Test</Badge>}
        <div class="muted small">
          <Foreign text={owner} />
        </div>
      </>
    ),
  },
  resultColumn,
  { header: "Alerts", width: "70px", align: "end", cell: ({ kind, alerts }) => (kind === "connector" ? alerts : "") },
  { header: "Started", width: "104px", cell: ({ startedAt }) => <Time at={startedAt} /> },
  { header: "By", width: "110px", isExtra: true, cell: ({ by }) => <Foreign text={by} /> },
  { header: "Took", width: "84px", align: "end", cell: (run) => <Took run={run} /> },
];

export function RunsPage({ query }: PageProps): JSX.Element {
  const filter = {
    kind: oneOf(query.get("kind"), ["action", "connector", "job"]),
    status: query.get("status"),
    owner: query.get("owner"),
    text: query.get("text"),
  };
  const runs = usePaged(
    (cursor, signal) => call("GET /runs", { query: given<RunsQuery>({ ...filter, cursor, limit: 50 }), signal }),
    Object.values(filter),
    ({ type }) => type === "run",
  );
  const isFiltered = Object.values(filter).some((value) => value !== null);
  return (
    <>
      <PageHead title="Runs">What connectors, jobs and actions did, the newest first.</PageHead>
      <div class="filters">
        <SearchField
          label="Search names and results"
          value={filter.text ?? ""}
          onInput={(text) => {
            setQuery({ text });
          }}
        />
        <Select
          label="Kind"
          any="Any kind"
          value={filter.kind}
          options={[
            { value: "connector", text: "Connectors" },
            { value: "job", text: "Jobs" },
            { value: "action", text: "Actions" },
          ]}
          onChange={(kind) => {
            setQuery({ kind });
          }}
        />
        <Select
          label="Status"
          any="Any status"
          value={filter.status}
          options={statuses.map((value) => ({ value, text: capitalised(value) }))}
          onChange={(status) => {
            setQuery({ status });
          }}
        />
        {filter.owner !== null && <ClearFilters text="All instances and connectors" names={["owner"]} />}
      </div>
      <Loaded of={runs} what="Loading runs" lines={8}>
        {() =>
          runs.rows.length === 0 ? (
            <NoRuns isFiltered={isFiltered} />
          ) : (
            <div class="section">
              <Table
                caption="Runs"
                columns={columns}
                rows={runs.rows}
                keyOf={({ id }) => id}
                linkOf={({ id }) => runUrl(id)}
                isStale={runs.isLoading && isFiltered}
              />
              <More of={runs} what="runs" />
            </div>
          )
        }
      </Loaded>
    </>
  );
}

function NoRuns({ isFiltered }: { isFiltered: boolean }): JSX.Element {
  if (isFiltered)
    return (
      <Empty
        icon="search"
        title="No run matches."
        actions={<ClearFilters names={["kind", "status", "owner", "text"]} />}
      >
        Change or clear the filters.
      </Empty>
    );
  return (
    <Empty
      icon="runs"
      title="Nothing has run yet."
      actions={<LinkButton href="/connectors">Go to Connectors</LinkButton>}
    >
      Start a connector, or run an action from a case.
    </Empty>
  );
}

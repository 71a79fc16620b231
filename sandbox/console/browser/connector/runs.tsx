import type { JSX } from "preact";
import type { RunRow } from "../../contract/index.ts";
import { call } from "../api.ts";
import { Badge } from "../parts/badge.tsx";
import { LinkButton } from "../parts/button.tsx";
import { resultColumn, statusColumn, Took } from "../parts/run-facts.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { useResource } from "../resource.ts";
import { runUrl } from "../urls.ts";

const columns: readonly Column<RunRow>[] = [
  {
    header: "Run",
    width: "200px",
    isMain: true,
    cell: ({ id, startedAt, test }) => (
      <span class="row">
        <a href={runUrl(id)}>
          <Time at={startedAt} />
        </a>
        {test && <Badge>Test</Badge>}
      </span>
    ),
  },
  statusColumn,
  { header: "Took", width: "90px", align: "end", cell: (run) => <Took run={run} /> },
  { header: "Alerts", width: "90px", align: "end", cell: ({ alerts }) => alerts },
  { header: "Events", width: "90px", align: "end", cell: ({ events }) => events },
  resultColumn,
];

/** The newest runs of a connector. */
export function ConnectorRuns({ connectorId }: { connectorId: string }): JSX.Element {
  const query = { owner: connectorId, limit: 20 };
  const runs = useResource((signal) => call("GET /runs", { query, signal }), [connectorId], {
    on: (event) => event.type === "run" && event.run.ownerId === connectorId,
  });
  return (
    <Loaded of={runs} what="Loading runs">
      {({ rows, total }) =>
        rows.length === 0 ? (
          <Empty icon="runs" title="It has not run yet">
            Run it now, or enable its schedule.
          </Empty>
        ) : (
          <div class="section">
            <Table
              caption="Runs"
              columns={columns}
              rows={rows}
              keyOf={({ id }) => id}
              linkOf={({ id }) => runUrl(id)}
            />
            {total > rows.length && (
              <div class="more-rows">
                <LinkButton size="small" href={`/runs?owner=${encodeURIComponent(connectorId)}`}>
                  {`All ${total} runs`}
                </LinkButton>
              </div>
            )}
          </div>
        )
      }
    </Loaded>
  );
}

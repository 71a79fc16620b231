import type { JSX } from "preact";
import { counted, visible } from "../../../../../widgets/shared/text.ts";
import type { Alert, Severity } from "../../../../../src/runtime/protocol.ts";
import type { RunView } from "../../../contract/index.ts";
import { cutText } from "../../format.ts";
import { Foreign, SeverityBadge } from "../../parts/badge.tsx";
import { JsonView } from "../../parts/json.tsx";
import { Cut, Empty, Notice } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { caseUrl } from "../../urls.ts";

type AlertEntry = RunView["alertList"][number];

const columns: readonly Column<AlertEntry>[] = [
  { header: "Severity", width: "110px", cell: ({ severity }) => <SeverityBadge severity={severity as Severity} /> },
  {
    header: "Alert",
    isMain: true,
    cell: ({ caseId, key, title }) => (
      <a href={caseUrl(caseId, { alert: key })}>
        <Foreign text={title} />
      </a>
    ),
  },
  { header: "Case", width: "90px", cell: ({ caseId }) => `Case ${caseId}` },
  { header: "Events", width: "90px", align: "end", cell: ({ events }) => events },
];

/** The alerts that a run has stored. */
export function RunAlerts({ run }: { run: RunView }): JSX.Element {
  if (run.alertList.length === 0)
    return (
      <Empty title="No new alerts.">
        {run.repeated > 0
          ? `${counted(run.repeated, "alert")} of this run had been stored before.`
          : "The run found nothing that was not stored before."}
      </Empty>
    );
  return (
    <div class="stack">
      <Cut text={cutText(run.alertList, run.alertList.length + run.alertsLeft, "worst", "alerts")} />
      <div class="section">
        <Table
          caption="Alerts of this run"
          columns={columns}
          rows={run.alertList}
          keyOf={({ key }) => key}
          linkOf={({ caseId, key }) => caseUrl(caseId, { alert: key })}
        />
      </div>
    </div>
  );
}

/** What a test run would have stored. */
export function RunSample({ sample }: { sample: readonly Alert[] }): JSX.Element {
  if (sample.length === 0)
    return (
      <Empty title="The test run would create no alert.">Nothing that it read is new, or it could read nothing.</Empty>
    );
  return (
    <div class="stack">
      <Notice>A test run reads a sample and stores nothing. This is what it would have created.</Notice>
      {sample.map((alert) => (
        <details key={alert.id} class="section sample">
          <summary class="row">
            <SeverityBadge severity={alert.severity} />
            <h2>{visible(alert.title)}</h2>
            <span class="muted">
              {visible(alert.environmentName)}, {counted(alert.events.length, "event")}
            </span>
          </summary>
          <JsonView
            value={JSON.parse(JSON.stringify(alert)) as Parameters<typeof JsonView>[0]["value"]}
            what="alert"
            open={1}
          />
        </details>
      ))}
    </div>
  );
}

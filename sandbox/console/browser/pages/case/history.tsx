import type { JSX } from "preact";
import { integer, visible } from "../../../../../widgets/shared/text.ts";
import type { ActionHistory, CaseView } from "../../../contract/index.ts";
import { cutText } from "../../format.ts";
import { Badge, Foreign } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { preview } from "../../parts/preview.ts";
import { resultColumn, statusColumn } from "../../parts/run-facts.tsx";
import { Cut, Empty } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { Section } from "../../parts/layout.tsx";
import { playbookRunUrl, runUrl } from "../../urls.ts";
import { PlaybookRunStatus } from "../playbook-run.tsx";
import { type Subject, subjectOfEntity } from "./subject.ts";
import { durationText } from "../../../../../src/text.ts";

type Entity = CaseView["entityList"][number];

/** What the case is about, the most frequent first. */
export function CaseEntities(props: {
  view: CaseView;
  onAction: (subject: Subject, action: string) => void;
}): JSX.Element {
  const { entityList } = props.view;
  if (entityList.length === 0)
    return <Empty title="No entities.">The events of this case name nothing that the mapping knows.</Empty>;
  const columns: readonly Column<Entity>[] = [
    { header: "Entity", isMain: true, cell: ({ identifier }) => <Foreign text={identifier} /> },
    {
      header: "Type",
      width: "22%",
      cell: ({ type, kind }) => (
        <>
          {visible(type)} {kind === "indicator" && <Badge>Indicator</Badge>}
        </>
      ),
    },
    { header: "Events", width: "84px", align: "end", cell: ({ events }) => integer(events) },
    {
      header: "Actions",
      width: "190px",
      cell: ({ identifier }) => (
        <span class="row">
          {["Get Object Id", "Fetch Assets"].map((action) => (
            <Button
              key={action}
              size="small"
              look="quiet"
              label={`${action} of ${visible(identifier)}`}
              onPress={() => {
                props.onAction(subjectOfEntity(identifier), action);
              }}
            >
              {action}
            </Button>
          ))}
        </span>
      ),
    },
  ];
  return (
    <div class="stack">
      <Cut text={cutText(entityList, props.view.entities, "most frequent", "entities")} />
      <div class="section">
        <Table
          caption="Entities"
          columns={columns}
          rows={entityList}
          keyOf={({ type, identifier }) => `${type} ${identifier}`}
        />
      </div>
    </div>
  );
}

const actionColumns: readonly Column<ActionHistory>[] = [
  statusColumn,
  {
    header: "Action",
    width: "26%",
    isMain: true,
    cell: ({ runId, action, parameters }) => (
      <>
        <a href={runUrl(runId)}>{action}</a>
        <div class="muted small clamped">
          {Object.entries(parameters)
            .filter(([, value]) => value !== null && value !== "")
            .map(([name, value]) => `${visible(name)}: ${preview(value, 60)}`)
            .join("; ")}
        </div>
      </>
    ),
  },
  resultColumn,
  { header: "By", width: "120px", cell: ({ by }) => <Foreign text={by} /> },
  { header: "When", width: "104px", cell: ({ at }) => <Time at={at} /> },
  { header: "Took", width: "84px", align: "end", cell: ({ ms }) => (ms === null ? "" : durationText(ms)) },
];

/** Actions and playbooks that were run on the case. */
export function CaseActions({ view, onAction }: { view: CaseView; onAction: () => void }): JSX.Element {
  if (view.actions.length === 0 && view.playbookRuns.length === 0)
    return (
      <Empty
        icon="bolt"
        title="No action was run from this case."
        actions={
          <Button look="primary" icon="bolt" onPress={onAction}>
            Run action
          </Button>
        }
      >
        Check whether an attack path is still open, or look up the objects at its ends.
      </Empty>
    );
  return (
    <div class="stack">
      <Cut text={cutText(view.actions, view.totals.actions, "newest", "actions")} />
      {view.actions.length > 0 && (
        <div class="section">
          <Table
            caption="Actions"
            columns={actionColumns}
            rows={view.actions}
            keyOf={({ runId }) => runId}
            linkOf={({ runId }) => runUrl(runId)}
          />
        </div>
      )}
      {view.playbookRuns.length > 0 && (
        <Section title="Playbook runs">
          <Cut text={cutText(view.playbookRuns, view.totals.playbookRuns, "newest", "playbook runs")} />
          <ul class="plain-list">
            {view.playbookRuns.map((run) => (
              <li key={run.id} class="row">
                <PlaybookRunStatus status={run.status} />
                <a href={playbookRunUrl(run.id)}>{visible(run.playbook)}</a>
                <span class="muted">
                  by {visible(run.by)}, <Time at={run.startedAt} />
                </span>
              </li>
            ))}
          </ul>
        </Section>
      )}
    </div>
  );
}

export function CaseHistory({ view }: { view: CaseView }): JSX.Element {
  if (view.history.length === 0) return <Empty icon="clock" title="Nothing was done yet." />;
  return (
    <div class="stack">
      <Cut text={cutText(view.history, view.totals.history, "newest", "entries")} />
      <ol class="history">
        {view.history.map(({ at, by, text }, index) => (
          <li key={index}>
            <span class="muted small">
              <Time at={at} />, {visible(by)}
            </span>
            <p class="foreign">{visible(text)}</p>
          </li>
        ))}
      </ol>
    </div>
  );
}

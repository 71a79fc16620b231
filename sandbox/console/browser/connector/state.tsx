import type { JSX } from "preact";
import { integer, visible } from "../../../../widgets/shared/text.ts";
import type { ConnectorState, ConnectorView, FollowedStream, StreamView } from "../../contract/index.ts";
import { call } from "../api.ts";
import { instant } from "../format.ts";
import { dialectText } from "../parts/dialect.ts";
import { Badge, Foreign, type Look } from "../parts/badge.tsx";
import { Button, useTask } from "../parts/button.tsx";
import { confirmed } from "../parts/dialog.tsx";
import { SearchField } from "../parts/field.tsx";
import { Facts, Section } from "../parts/layout.tsx";
import { OutcomeNotice } from "../parts/run-result.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { type Column, Table } from "../parts/table.tsx";
import { Time } from "../parts/time.tsx";
import { toast } from "../toast.ts";
import { useResource } from "../resource.ts";
import { address, setQuery } from "../router.ts";

/** What the plugin keeps at most; design and documentation give the same number. */
const MOST_CHARACTERS = 2_500_000;

const statuses: Readonly<Record<StreamView["status"], { look: Look; text: string }>> = {
  read: { look: "good", text: "Read" },
  unfinished: { look: "warning", text: "Unfinished" },
  never_read: { look: "plain", text: "Never read" },
  gone: { look: "plain", text: "Gone" },
};

const columns: readonly Column<StreamView>[] = [
  { header: "Finding type", isMain: true, cell: ({ findingType }) => <Foreign text={findingType} /> },
  { header: "Environment", width: "15%", cell: ({ environment }) => <Foreign text={environment} /> },
  {
    header: "Status",
    width: "120px",
    cell: ({ status }) => <Badge look={statuses[status].look}>{statuses[status].text}</Badge>,
  },
  {
    header: "Read up to",
    width: "120px",
    cell: ({ cursor }) =>
      cursor === null ? <span class="muted">None</span> : <span class="number">{instant(cursor)}</span>,
  },
  {
    header: "Known findings",
    width: "120px",
    align: "end",
    cell: ({ rememberedIds }) => integer(rememberedIds),
  },
  {
    header: "Last read",
    width: "110px",
    cell: ({ readAt }) => (readAt === null ? <span class="muted">Never</span> : <Time at={readAt} />),
  },
  {
    header: "In the last run",
    width: "20%",
    cell: ({ decision, unreadBecause }) =>
      decision === null ? <span class="muted">{unreadBecause ?? "Not reached"}</span> : visible(decision),
  },
];

const followedColumns: readonly Column<FollowedStream>[] = [
  { header: "Finding type", isMain: true, cell: (stream) => <FollowedType stream={stream} /> },
  { header: "Environment", width: "18%", cell: ({ environment }) => <Foreign text={environment} /> },
  {
    header: "Last analysis read",
    width: "176px",
    cell: ({ analysedAt }) =>
      analysedAt === null ? <span class="muted">None</span> : <span class="number">{instant(analysedAt)}</span>,
  },
  { header: "Active", width: "84px", align: "end", cell: ({ active }) => integer(active) },
  { header: "Accepted", width: "96px", align: "end", cell: ({ accepted }) => integer(accepted) },
  { header: "Missing", width: "88px", align: "end", cell: ({ missing }) => integer(missing) },
  { header: "Gone", width: "76px", align: "end", cell: ({ gone }) => integer(gone) },
];

/** The verdicts without a column are rare. */
function FollowedType({ stream: { findingType, withdrawn, unknown } }: { stream: FollowedStream }): JSX.Element {
  const rest = [
    ...(withdrawn > 0 ? [`${integer(withdrawn)} withdrawn`] : []),
    ...(unknown > 0 ? [`${integer(unknown)} not judged`] : []),
  ];
  return (
    <>
      <Foreign text={findingType} />
      {rest.length > 0 && <div class="muted small">{rest.join(", ")}</div>}
    </>
  );
}

/** What the connector or the job remembers, a row for each finding type of each environment. */
export function ConnectorStateView({ connector }: { connector: ConnectorView }): JSX.Element {
  const { id, name, kind, lastRun } = connector;
  const state = useResource((signal) => call("GET /connectors/:id/state", { path: { id }, signal }), [id], {
    on: (event) => event.type === "run" && event.run.ownerId === id,
  });
  const reset = useTask(async () => {
    const text =
      kind === "job"
        ? "The job forgets what it has seen: every wait begins again, and it takes the alerts that it closed for a person's."
        : "The next run reads every finding of the tenant again. Alerts that are stored already are recognised by their id and not stored twice, but an alert that has grown since comes again as a new one.";
    if (!(await confirmed({ title: `Reset the state of ${name}?`, text, confirm: "Reset state", isDangerous: true })))
      return;
    await call("DELETE /connectors/:id/state", { path: { id } });
    toast("The state was reset. The next run starts afresh.");
    state.reload();
  });
  return (
    <Loaded of={state} what="Loading the state">
      {(data) =>
        data.streams.length + data.followed.length === 0 ? (
          <>
            {kind === "job" && lastRun !== null && <OutcomeNotice {...lastRun} />}
            <Empty icon="clock" title="Nothing is remembered yet">
              {kind === "connector"
                ? "The first run writes the state: a cursor and the ids that were delivered, for each environment and finding type."
                : lastRun === null
                  ? "The first run writes the state: which findings of the open alerts the service still lists."
                  : "The last run has not judged any open alert."}
            </Empty>
          </>
        ) : (
          <Section
            title="State of each finding type"
            actions={
              <Button
                size="small"
                look="danger"
                icon="repeat"
                isBusy={reset.isBusy}
                disabled={connector.runningId !== null}
                onPress={reset.run}
              >
                Reset state
              </Button>
            }
          >
            {kind === "job" ? <Followed state={data} lastRun={lastRun} /> : <Streams state={data} />}
          </Section>
        )
      }
    </Loaded>
  );
}

/** What is about to be closed first. The message of the run says what was not judged, and what is held open. */
function Followed(props: { state: ConnectorState; lastRun: ConnectorView["lastRun"] }): JSX.Element {
  const { state, lastRun } = props;
  const rows = [...state.followed].sort((a, b) => b.gone + b.missing - a.gone - a.missing);
  return (
    <div class="stack">
      {lastRun !== null && <OutcomeNotice {...lastRun} />}
      <p class="muted">
        A finding that an analysis no longer has is missing. It is gone when a second analysis, at least 24 hours later,
        does not have it either. When all findings of an alert are gone, the job closes it, or comments on it if Close
        Alerts is off. The numbers are those of the last analysis that could be read.
      </p>
      <div class="bleed">
        <Table
          caption="State of each finding type"
          columns={followedColumns}
          rows={rows}
          keyOf={({ environmentId, findingType }) => `${environmentId} ${findingType}`}
        />
      </div>
    </div>
  );
}

function Streams({ state }: { state: ConnectorState }): JSX.Element {
  const text = address.value.query.get("stream") ?? "";
  const matches = (value: string): boolean => value.toLowerCase().includes(text.toLowerCase());
  const shown = state.streams.filter(({ findingType, environment }) => matches(findingType) || matches(environment));
  return (
    <div class="stack">
      <Facts
        of={[
          ["Tenant", state.tenant === null ? "–" : <Foreign key="tenant" text={state.tenant} mono />],
          ["How it signs requests", dialectText(state.dialect)],
          ["Finding types", `${integer(state.streams.length)} in all environments`],
          [
            "Size",
            <span key="size" class="number">
              {integer(state.characters)} characters, {percent(state.characters)} of the limit
            </span>,
          ],
        ]}
      />
      <p class="muted">
        The connector reads each finding type of each environment on its own and remembers how far it has read it.
        Messages of the plugin call such a list a stream.
      </p>
      {state.streams.length > 8 && (
        <SearchField
          label="Filter finding types and environments"
          value={text}
          onInput={(stream) => {
            setQuery({ stream });
          }}
        />
      )}
      <div class="bleed">
        <Table
          caption="State of each finding type"
          columns={columns}
          rows={shown}
          keyOf={({ environmentId, findingType }) => `${environmentId} ${findingType}`}
        />
      </div>
      {shown.length === 0 && <p class="muted">Nothing matches the filter.</p>}
    </div>
  );
}

function percent(characters: number): string {
  const share = (100 * characters) / MOST_CHARACTERS;
  return share < 1 ? "under 1 %" : `${Math.round(share)} %`;
}

import type { JSX } from "preact";
import { visible } from "../../../../../widgets/shared/text.ts";
import type { CaseView, EventListRow, EventsQuery } from "../../../contract/index.ts";
import { call } from "../../api.ts";
import { given, SeverityFilter, severityIn } from "../../parts/list-filters.tsx";
import { cutText } from "../../format.ts";
import { usePaged } from "../../paged.ts";
import { Badge, Foreign, SeverityBadge } from "../../parts/badge.tsx";
import { SearchField, Select } from "../../parts/field.tsx";
import { Cut, Empty, Loaded } from "../../parts/states.tsx";
import { type Column, More, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { setQuery, withQuery } from "../../router.ts";
import { EventDrawer } from "./event-drawer.tsx";
import type { Subject } from "./subject.ts";

const placeOf = ({ alertKey, position }: EventListRow): string => `${alertKey}.${position}`;
const linkOf = (row: EventListRow): string => withQuery({ event: placeOf(row) });

const columns: readonly Column<EventListRow>[] = [
  { header: "Severity", width: "104px", cell: ({ severity }) => <SeverityBadge severity={severity} /> },
  {
    header: "Finding",
    isMain: true,
    cell: (row) => (
      <>
        <a href={linkOf(row)}>
          {row.source !== null && (
            <>
              <Foreign text={row.source} /> <span aria-label="to">→</span>{" "}
            </>
          )}
          <Foreign text={row.target ?? row.title} />
        </a>{" "}
        {row.accepted && <Badge>Accepted</Badge>}
        <div class="muted small">
          <Foreign text={row.title} />
        </div>
      </>
    ),
  },
  {
    header: "Exposure or impact",
    width: "136px",
    align: "end",
    cell: ({ riskPercentage }) => (riskPercentage === null ? "" : `${Math.round(riskPercentage * 10) / 10}%`),
  },
  { header: "Found", width: "104px", cell: ({ createdAt }) => (createdAt === null ? "" : <Time at={createdAt} />) },
];

interface EventsProps {
  view: CaseView;
  query: URLSearchParams;
  /** @param isComplete - nothing is left to choose: it starts at once */
  onAction: (subject: Subject, alertKey: number, isComplete: boolean) => void;
}

/** The findings of a case, page by page, with a drawer for the one that the URL names. */
export function CaseEvents({ view, query, onAction }: EventsProps): JSX.Element {
  const alertKey = query.get("of") === null ? null : Number(query.get("of"));
  const severity = severityIn(query);
  const text = query.get("text");
  const events = usePaged(
    (cursor, signal) =>
      call("GET /cases/:id/events", {
        path: { id: String(view.id) },
        query: given<EventsQuery>({ alertKey, severity, text, cursor, limit: 50 }),
        signal,
      }),
    [view.id, alertKey, severity, text],
    (event) => event.type === "case" && event.caseId === view.id,
  );
  const [opened, place] = [query.get("event"), events.rows.findIndex((row) => placeOf(row) === query.get("event"))];
  return (
    <div class="stack">
      <div class="filters">
        <SearchField
          label="Search principals and titles"
          value={text ?? ""}
          onInput={(value) => {
            setQuery({ text: value });
          }}
        />
        <SeverityFilter value={severity} />
        <Select
          label="Alert"
          any="All alerts"
          value={alertKey === null ? null : String(alertKey)}
          options={[
            ...view.alertList.map(({ key, title, events: count }) => ({
              value: String(key),
              text: `${visible(title)} (${count})`,
            })),
            // The list of a large case does not have every alert that a link leads to.
            ...(alertKey === null || view.alertList.some(({ key }) => key === alertKey)
              ? []
              : [{ value: String(alertKey), text: "One alert" }]),
          ]}
          onChange={(value) => {
            setQuery({ of: value });
          }}
        />
      </div>
      <Cut text={cutText(view.alertList, view.alerts, "worst", "alerts in the filter")} />
      <Loaded of={events} what="Loading events" lines={8}>
        {() =>
          events.rows.length === 0 ? (
            <Empty icon="search" title="No event matches.">
              Change or clear the filters.
            </Empty>
          ) : (
            <div class="section">
              <Table
                caption="Events"
                columns={columns}
                rows={events.rows}
                keyOf={placeOf}
                linkOf={linkOf}
                isSelected={(row) => placeOf(row) === opened}
              />
              <More of={events} what="events" />
            </div>
          )
        }
      </Loaded>
      {opened !== null && (
        <EventDrawer
          place={opened}
          previous={place > 0 ? events.rows[place - 1] : undefined}
          next={place >= 0 ? events.rows[place + 1] : undefined}
          onShow={(row) => {
            setQuery({ event: placeOf(row) });
          }}
          onAction={onAction}
        />
      )}
    </div>
  );
}

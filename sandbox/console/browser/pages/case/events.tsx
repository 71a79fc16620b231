import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { visible } from "../../../../../widgets/shared/text.ts";
import type { CaseView, EventListRow, EventsQuery, EventView } from "../../../contract/index.ts";
import { call } from "../../api.ts";
import { given, SeverityFilter, severityIn } from "../../parts/list-filters.tsx";
import { usePaged } from "../../paged.ts";
import { Badge, Foreign, SeverityBadge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { SearchField, Select } from "../../parts/field.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { type Column, More, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { useResource } from "../../resource.ts";
import { setQuery, withQuery } from "../../router.ts";
import { type Subject, subjectOfEvent } from "./subject.ts";

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
    header: "Impact",
    width: "76px",
    align: "end",
    cell: ({ impactPercentage }) => (impactPercentage === null ? "" : `${Math.round(impactPercentage * 10) / 10}%`),
  },
  { header: "Found", width: "104px", cell: ({ createdAt }) => (createdAt === null ? "" : <Time at={createdAt} />) },
];

interface EventsProps {
  view: CaseView;
  query: URLSearchParams;
  onAction: (subject: Subject, alertKey: number) => void;
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
    { keyOf: placeOf, on: (event) => event.type === "case" && event.caseId === view.id },
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
          options={view.alertList.map(({ key, title, events: count }) => ({
            value: String(key),
            text: `${visible(title)} (${count})`,
          }))}
          onChange={(value) => {
            setQuery({ of: value });
          }}
        />
      </div>
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
          onAction={onAction}
        />
      )}
    </div>
  );
}

function EventDrawer(props: {
  place: string;
  previous: EventListRow | undefined;
  next: EventListRow | undefined;
  onAction: EventsProps["onAction"];
}): JSX.Element {
  const [key = "", position = ""] = props.place.split(".");
  const event = useResource(
    (signal) => call("GET /alerts/:key/events/:position", { path: { key, position }, signal }),
    [key, position],
  );
  const show = (row: EventListRow | undefined) => () => {
    if (row !== undefined) setQuery({ event: placeOf(row) });
  };
  return (
    <Dialog
      shape="drawer"
      title={typeof event.data?.event["title"] === "string" ? visible(event.data.event["title"]) : "Event"}
      onClose={() => {
        setQuery({ event: null });
      }}
      footer={
        <>
          <Button disabled={props.previous === undefined} onPress={show(props.previous)}>
            Previous
          </Button>
          <Button disabled={props.next === undefined} onPress={show(props.next)}>
            Next
          </Button>
          <Button
            look="primary"
            icon="bolt"
            disabled={event.data === null}
            onPress={() => {
              if (event.data !== null) props.onAction(subjectOfEvent(event.data), event.data.alertKey);
            }}
          >
            Run action
          </Button>
        </>
      }
    >
      <Loaded of={event} what="Loading the event">
        {(view) => <EventFields view={view} />}
      </Loaded>
    </Dialog>
  );
}

function EventFields({ view }: { view: EventView }): JSX.Element {
  const [filter, setFilter] = useState("");
  const wanted = filter.toLowerCase();
  const groups = view.groups
    .map(({ title, fields }) => ({
      title,
      fields: fields.filter(({ name, value }) => `${name} ${String(value)}`.toLowerCase().includes(wanted)),
    }))
    .filter(({ fields }) => fields.length > 0);
  return (
    <>
      <SearchField label="Filter fields" value={filter} onInput={setFilter} />
      {groups.map(({ title, fields }) => (
        <section key={title} class="event-group">
          <h3>{title}</h3>
          <dl>
            {fields.map(({ name, value }) => (
              <div key={name}>
                <dt class="mono">{visible(name)}</dt>
                <dd>
                  <FieldValue name={name} value={value} />
                </dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
      {groups.length === 0 && <p class="muted">No field matches.</p>}
    </>
  );
}

/** Only an address of the web becomes a link, and it says where it leads. */
function FieldValue({ name, value }: { name: string; value: string | number | boolean | undefined }): JSX.Element {
  const text = String(value);
  if (/^https?:\/\//i.test(text) && /url$/i.test(name))
    return (
      <a href={text} target="_blank" rel="noopener noreferrer nofollow" class="foreign">
        {visible(text)}
      </a>
    );
  return (
    <>
      <Foreign text={text} />
      {/_id$/.test(name) && <CopyButton text={text} what={name} />}
    </>
  );
}

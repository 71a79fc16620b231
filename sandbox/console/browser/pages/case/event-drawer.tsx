import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { visible } from "../../../../../widgets/shared/text.ts";
import type { EventListRow, EventView } from "../../../contract/index.ts";
import { call } from "../../api.ts";
import { NodeName } from "../../graph/hop-list.tsx";
import { Foreign, SeverityBadge } from "../../parts/badge.tsx";
import { Button } from "../../parts/button.tsx";
import { CopyButton } from "../../parts/copy.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Explanation } from "../../parts/explanation.tsx";
import { SearchField } from "../../parts/field.tsx";
import { Loaded } from "../../parts/states.tsx";
import { overview } from "../../overview.ts";
import { useResource } from "../../resource.ts";
import { setQuery } from "../../router.ts";
import { ShortRemediation } from "./alerts.tsx";
import { eventSentence, fieldLabel, fieldText, nameIn, relationOf } from "./event-text.ts";
import { type Subject, subjectOfEvent } from "./subject.ts";
import type { Severity } from "../../../../../src/runtime/protocol.ts";

interface EventDrawerProps {
  /** Key of the alert and position in it, such as 12.0. */
  place: string;
  previous: EventListRow | undefined;
  next: EventListRow | undefined;
  onShow: (row: EventListRow) => void;
  onAction: (subject: Subject, alertKey: number, isComplete: boolean) => void;
}

/** One finding: what it means, how it is closed, and all its fields. */
export function EventDrawer(props: EventDrawerProps): JSX.Element {
  const { previous, next, onShow } = props;
  const [key = "", position = ""] = props.place.split(".");
  const event = useResource(
    (signal) => call("GET /alerts/:key/events/:position", { path: { key, position }, signal }),
    [key, position],
  );
  const { data } = event;
  const act = (isComplete: boolean) => () => {
    if (data !== null) props.onAction(subjectOfEvent(data), data.alertKey, isComplete);
  };
  const hasPath = data !== null && data.ends.source !== null && data.ends.target !== null;
  const step = (row: EventListRow | undefined) => () => {
    if (row !== undefined) onShow(row);
  };
  return (
    <Dialog
      shape="drawer"
      title={typeof data?.event["title"] === "string" ? visible(data.event["title"]) : "Event"}
      onClose={() => {
        setQuery({ event: null });
      }}
      footer={
        <>
          <Button disabled={previous === undefined} onPress={step(previous)}>
            Previous
          </Button>
          <Button disabled={next === undefined} onPress={step(next)}>
            Next
          </Button>
          <Button look={hasPath ? "plain" : "primary"} icon="bolt" disabled={data === null} onPress={act(false)}>
            Run action
          </Button>
        </>
      }
    >
      <Loaded of={event} what="Loading the event">
        {(view) => (
          <>
            <p class="event-sentence">{eventSentence(view.event)}</p>
            {hasPath && (
              <>
                <DrawnRelation view={view} />
                <Explanation kind={relationOf(view.event)} />
                <div>
                  <Button look="primary" icon="play" onPress={act(true)}>
                    Draw the whole path
                  </Button>
                </div>
              </>
            )}
            <section aria-label="Remediation" class="event-group">
              <h3>Remediation</h3>
              <ShortRemediation alertKey={view.alertKey} />
            </section>
            <EventFields view={view} />
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

/** Both ends of the finding with the relationship between them. */
function DrawnRelation({ view: { event, ends } }: { view: EventView }): JSX.Element {
  const end = (side: "source" | "target"): JSX.Element => {
    const isTierZero = event[`${side}_tier_zero`] === true;
    const kind = event[`${side}_principal_kind`];
    const node = {
      id: ends[side] ?? "",
      name: nameIn(event, side) ?? "",
      kind: typeof kind === "string" ? kind : "",
      tierZero: isTierZero,
      place: null,
    };
    return (
      <div class={isTierZero ? "end tier-zero" : "end"}>
        <NodeName node={node} />
      </div>
    );
  };
  return (
    <figure class="drawn-relation" aria-label="The relationship of this finding">
      {end("source")}
      <div class="edge">
        <span class="relation">
          {visible(relationOf(event))} <span aria-hidden="true">↓</span>
        </span>{" "}
        <SeverityBadge severity={severityIn(event["severity"])} />
      </div>
      {end("target")}
    </figure>
  );
}

function severityIn(value: unknown): Severity {
  return (["critical", "high", "moderate", "low"] as const).find((known) => known === value) ?? "unknown";
}

function EventFields({ view }: { view: EventView }): JSX.Element {
  const [filter, setFilter] = useState("");
  const wanted = filter.toLowerCase();
  const groups = view.groups
    .map(({ title, fields }) => ({
      title,
      fields: fields.filter(({ name, value }) =>
        `${name} ${fieldLabel(name)} ${String(value)}`.toLowerCase().includes(wanted),
      ),
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
                <dt title={visible(name)}>{visible(fieldLabel(name))}</dt>
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
  const text = value === undefined ? "" : fieldText(name, value);
  // The simulated tenant has no pages that a link could open.
  if (/^https?:\/\//i.test(text) && /url$/i.test(name) && overview.value?.simulated !== true)
    return (
      <a href={text} target="_blank" rel="noopener noreferrer nofollow" class="foreign">
        {visible(text)}
      </a>
    );
  return (
    <>
      <Foreign text={text} />
      {/_id$/.test(name) && <CopyButton text={text} what={fieldLabel(name)} />}
    </>
  );
}

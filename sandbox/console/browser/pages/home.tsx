import type { ComponentChildren, JSX } from "preact";
import { counted, integer, visible } from "../../../../widgets/shared/text.ts";
import type { CaseRow, ConnectorView, RunRow } from "../../contract/index.ts";
import { call } from "../api.ts";
import { RunButtons } from "../connector/controls.tsx";
import { overview } from "../overview.ts";
import { Foreign, RunStatusBadge, SeverityBadge } from "../parts/badge.tsx";
import { LinkButton } from "../parts/button.tsx";
import { PageHead, Section, Stat } from "../parts/layout.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { Time } from "../parts/time.tsx";
import { TourStrip } from "../home/tour-strip.tsx";
import { type Loadable, useResource } from "../resource.ts";
import { caseUrl, connectorUrl, runUrl } from "../urls.ts";
import { NextRun } from "./connectors.tsx";

/** Where one stands: the tour at first, then what came in and what runs. */
export function HomePage(): JSX.Element {
  const cases = useResource((signal) => call("GET /cases", { query: { status: "open", limit: 8 }, signal }), [], {
    on: ({ type }) => type === "case",
  });
  const connectors = useResource((signal) => call("GET /connectors", { signal }), [], {
    on: ({ type }) => type === "connector" || type === "run",
  });
  const runs = useResource((signal) => call("GET /runs", { query: { limit: 8 }, signal }), [], {
    on: ({ type }) => type === "run",
  });
  const known = overview.value;
  return (
    <>
      <PageHead title="Home" />
      {known !== null && <TourStrip tour={known.tour} />}
      {known !== null && (
        <div class="stats">
          <Stat label="Open cases" value={integer(known.counts.openCases)} href="/cases?status=open" />
          <Stat label="Cases" value={integer(known.counts.cases)} href="/cases?status=all" />
          <Stat label="Alerts" value={integer(known.counts.alerts)} />
          <Stat label="Events" value={integer(known.counts.events)} />
          <Stat label="Running now" value={integer(known.counts.runningRuns)} href="/runs?status=running" />
        </div>
      )}
      <div class="two-columns">
        <Excerpt title="Worst open cases" of="cases">
          <Cases cases={cases} />
        </Excerpt>
        <div class="stack">
          <Excerpt title="Connectors" of="connectors">
            <Connectors connectors={connectors} />
          </Excerpt>
          <Excerpt title="Latest runs" of="runs">
            <Runs runs={runs} />
          </Excerpt>
        </div>
      </div>
    </>
  );
}

/** The first few of what has a page of its own, with the way there. */
function Excerpt(props: {
  title: string;
  of: "cases" | "connectors" | "runs";
  children: ComponentChildren;
}): JSX.Element {
  const all = (
    <LinkButton size="small" look="quiet" href={`/${props.of}`}>
      All {props.of}
    </LinkButton>
  );
  return (
    <Section title={props.title} actions={all}>
      {props.children}
    </Section>
  );
}

function Cases({ cases }: { cases: Loadable<{ rows: CaseRow[] }> }): JSX.Element {
  return (
    <Loaded of={cases} what="Loading cases">
      {({ rows }) =>
        rows.length === 0 ? (
          <Empty icon="cases" title="No open case">
            Cases appear here as soon as a connector has delivered findings.
          </Empty>
        ) : (
          <ul class="rows case-rows">
            {rows.map((row) => (
              <li key={row.id}>
                <SeverityBadge severity={row.severity} />
                <a href={caseUrl(row.id)}>
                  <Foreign text={row.title} />
                </a>
                <span class="muted small number">{counted(row.events, "event")}</span>
                <span class="muted small">
                  <Time at={row.updatedAt} />
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function Connectors({ connectors }: { connectors: Loadable<ConnectorView[]> }): JSX.Element {
  return (
    <Loaded of={connectors} what="Loading connectors">
      {(rows) =>
        rows.length === 0 ? (
          <Empty icon="connectors" title="No connector yet" />
        ) : (
          <ul class="rows">
            {rows.map((row) => (
              <li key={row.id}>
                <a href={connectorUrl(row.id)}>
                  <Foreign text={row.name} />
                </a>
                <span class="muted small">
                  <NextRun connector={row} />
                </span>
                <RunButtons connector={row} size="small" changed={connectors.reload} />
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

function Runs({ runs }: { runs: Loadable<{ rows: RunRow[] }> }): JSX.Element {
  return (
    <Loaded of={runs} what="Loading runs">
      {({ rows }) =>
        rows.length === 0 ? (
          <Empty icon="runs" title="Nothing has run yet" />
        ) : (
          <ul class="rows">
            {rows.map(({ id, name, status, message, startedAt }) => (
              <li key={id}>
                <RunStatusBadge status={status} />
                <a href={runUrl(id)}>{visible(name)}</a>
                <span class="muted small one-line">{visible(message)}</span>
                <span class="muted small">
                  <Time at={startedAt} />
                </span>
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

import type { JSX } from "preact";
import { integer, visible, words } from "../../../../../widgets/shared/text.ts";
import type { AlertRow, AlertView, CaseView } from "../../../contract/index.ts";
import { call } from "../../api.ts";
import { cutText, instant } from "../../format.ts";
import { Badge, Foreign, SeverityBadge, Tag } from "../../parts/badge.tsx";
import { Button, LinkButton, useTask } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Facts } from "../../parts/layout.tsx";
import { Markdown } from "../../parts/markdown.tsx";
import { Sparkline } from "../../parts/sparkline.tsx";
import { Cut, Empty, Loaded, Notice } from "../../parts/states.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { Time } from "../../parts/time.tsx";
import { toast } from "../../toast.ts";
import { trendText } from "../../parts/trend-shape.ts";
import { overview } from "../../overview.ts";
import { useResource } from "../../resource.ts";
import { setQuery, withQuery } from "../../router.ts";
import { runUrl } from "../../urls.ts";

const linkOf = ({ key }: AlertRow): string => withQuery({ alert: String(key) });

const columns: readonly Column<AlertRow>[] = [
  { header: "Severity", width: "104px", cell: ({ severity }) => <SeverityBadge severity={severity} /> },
  {
    header: "Alert",
    isMain: true,
    cell: (row) => (
      <>
        <a href={linkOf(row)}>
          <Foreign text={row.title} />
        </a>
        <div class="muted small">
          <Foreign text={row.findingType} />
        </div>
      </>
    ),
  },
  { header: "Status", width: "108px", cell: (row) => <AlertStatus alert={row} /> },
  { header: "Events", width: "84px", align: "end", cell: ({ events }) => integer(events) },
  { header: "Last event", width: "104px", cell: ({ endTime }) => <Time at={endTime} /> },
];

/** Which alerts of the case are not listed. */
export function alertsCut({ alertList, alerts }: CaseView): string | undefined {
  return cutText(alertList, alerts, "worst", "alerts");
}

/** Whether the alert is open, and who closed or reopened it last. */
function AlertStatus({ alert }: { alert: AlertRow }): JSX.Element {
  const { status, closedBy, reopenedBy } = alert;
  const by = status === "closed" ? closedBy : reopenedBy;
  const word = status === "closed" ? "Closed" : by === null ? "Open" : "Reopened";
  return (
    <>
      <Badge look={status === "closed" ? "good" : by === null ? "plain" : "warning"}>{word}</Badge>
      {by !== null && <div class="muted small">by {by === "job" ? "the job" : "a person"}</div>}
    </>
  );
}

export function CaseAlerts({ view }: { view: CaseView }): JSX.Element {
  return (
    <div class="stack">
      <Cut text={alertsCut(view)} />
      <div class="section">
        <Table caption="Alerts" columns={columns} rows={view.alertList} keyOf={({ key }) => key} linkOf={linkOf} />
      </div>
    </div>
  );
}

function useAlert(key: number | string, options: Parameters<typeof useResource>[2] = {}) {
  return useResource((signal) => call("GET /alerts/:key", { path: { key: String(key) }, signal }), [key], options);
}

/** The alert that the URL names. */
export function AlertDrawer(props: {
  alertKey: string;
  caseId: number;
  replace: (view: CaseView) => void;
}): JSX.Element {
  const { alertKey, caseId, replace } = props;
  const alert = useAlert(alertKey, { on: (event) => event.type === "case" && event.caseId === caseId });
  const isClosed = alert.data?.status === "closed";
  const change = useTask(async () => {
    const status = isClosed ? "open" : "closed";
    replace(await call("PUT /alerts/:key/status", { path: { key: alertKey }, body: { status } }));
    alert.reload();
    toast(isClosed ? "The alert is open again." : "The alert is closed. No job touches it any more.");
  });
  return (
    <Dialog
      shape="drawer"
      title={alert.data === null ? "Alert" : visible(alert.data.title)}
      onClose={() => {
        setQuery({ alert: null });
      }}
      footer={
        <>
          <Button isBusy={change.isBusy} disabled={alert.data === null} onPress={change.run}>
            {isClosed ? "Reopen alert" : "Close alert"}
          </Button>
          <LinkButton href={withQuery({ alert: null, tab: "events", of: alertKey })}>Show its events</LinkButton>
        </>
      }
    >
      <Loaded of={alert} what="Loading the alert">
        {(view) => (
          <>
            <Facts
              of={[
                ["Severity", <SeverityBadge severity={view.severity} />],
                ["Status", <AlertStatus alert={view} />],
                ...(view.closedAt === null ? [] : [["Closed last", instant(view.closedAt)] as const]),
                ["Finding type", visible(view.findingType)],
                ["Environment", visible(view.environmentName)],
                ["Events", view.events],
                ["First event", instant(view.startTime)],
                ["Last event", instant(view.endTime)],
                ["Product", visible(`${view.vendor} ${view.product}`)],
                ["Stored by", <a href={runUrl(view.runId)}>this run</a>],
              ]}
            />
            <p class="row">
              {view.tags.map((tag) => (
                <Tag key={tag} tag={tag} />
              ))}
            </p>
            <AlertTexts alert={view} />
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

function AlertTexts({ alert }: { alert: AlertView }): JSX.Element {
  const texts = Object.entries(alert.extensions).filter(
    // The simulated tenant has no pages that a link could open.
    ([name, text]) => text.trim() !== "" && !(name === "finding_url" && overview.value?.simulated === true),
  );
  return (
    <>
      {alert.description !== "" && <Markdown text={alert.description} />}
      {texts.map(([name, text]) => (
        <section key={name}>
          <h3>{words(name)}</h3>
          <Markdown text={text} />
        </section>
      ))}
      {texts.length === 0 && <p class="muted">{NO_REMEDIATION}</p>}
    </>
  );
}

/** What to do about each finding type of the case. */
export function CaseRemediation({ view }: { view: CaseView }): JSX.Element {
  return (
    <div class="stack">
      {view.worstOfType.map((alert, index) => (
        <Remediation key={alert.findingType} alert={alert} isOpen={index === 0} />
      ))}
    </div>
  );
}

function Remediation({ alert, isOpen }: { alert: AlertRow; isOpen: boolean }): JSX.Element {
  return (
    <details class="section sample" open={isOpen}>
      <summary class="row">
        <SeverityBadge severity={alert.severity} />
        <h2>{visible(alert.title)}</h2>
        <span class="muted">{visible(alert.findingType)}</span>
      </summary>
      <LoadedTexts alertKey={alert.key} />
    </details>
  );
}

/** What to do about the findings of an alert in short; the steps can be opened. */
export function ShortRemediation({ alertKey }: { alertKey: number }): JSX.Element {
  const alert = useAlert(alertKey);
  return (
    <Loaded of={alert} what="Loading the remediation">
      {({ description, extensions }) => {
        const { short_remediation: short = "", long_remediation: long = "" } = extensions;
        if (short === "" && long === "") return <p class="muted">{NO_REMEDIATION}</p>;
        return (
          <>
            <Markdown text={short === "" ? description : short} />
            {long !== "" && (
              <details>
                <summary>Step by step</summary>
                <Markdown text={long} />
              </details>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

const NO_REMEDIATION = "The service has no remediation for this finding type.";

function LoadedTexts({ alertKey }: { alertKey: number }): JSX.Element {
  const alert = useAlert(alertKey);
  return (
    <Loaded of={alert} what="Loading the remediation">
      {(view) => <AlertTexts alert={view} />}
    </Loaded>
  );
}

/** How the finding types of the case have developed, as the service tells. */
export function CaseTrends({ view }: { view: CaseView }): JSX.Element {
  const trends = useResource(
    (signal) => call("GET /cases/:id/trends", { path: { id: String(view.id) }, signal }),
    [view.id],
  );
  return (
    <Loaded of={trends} what="Loading the trends">
      {(list) =>
        list.length === 0 ? (
          <Empty title="No trends.">The service has no history of these finding types.</Empty>
        ) : (
          <ul class="trends">
            {list.map(({ findingType, title, points, message }) => (
              <li key={findingType} class="section">
                <h2>
                  <Foreign text={title === "" ? findingType : title} />
                </h2>
                {message === null ? (
                  <Sparkline points={points} width={240} height={54} />
                ) : (
                  <Notice look="warning">{visible(message)}</Notice>
                )}
                {points.length > 0 && <p class="muted small">{trendText(points)}</p>}
              </li>
            ))}
          </ul>
        )
      }
    </Loaded>
  );
}

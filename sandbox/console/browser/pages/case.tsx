import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { CaseView } from "../../contract/index.ts";
import { call } from "../api.ts";
import { markTour } from "../overview.ts";
import { Loaded } from "../parts/states.tsx";
import { type Tab, Tabs } from "../parts/tabs.tsx";
import { useResource } from "../resource.ts";
import { type PageProps, setQuery } from "../router.ts";
import { useTitle } from "../title.ts";
import { visible } from "../../../../widgets/shared/text.ts";
import { ActionDialog } from "./case/action-dialog.tsx";
import { type ActionOn, graphActions } from "./case/graph-actions.tsx";
import { AlertDrawer, CaseAlerts, CaseRemediation, CaseTrends } from "./case/alerts.tsx";
import { CaseCuts } from "./case/cuts.tsx";
import { CaseEvents } from "./case/events.tsx";
import { CaseHead, CaseSide } from "./case/head.tsx";
import { CaseActions, CaseEntities, CaseHistory } from "./case/history.tsx";
import { CaseMetaTree } from "./case/meta-tree.tsx";
import { PlaybookDialog } from "./case/playbook-dialog.tsx";

export function CasePage({ params, query }: PageProps): JSX.Element {
  const id = params["id"] ?? "";
  const view = useResource((signal) => call("GET /cases/:id", { path: { id }, signal }), [id], {
    on: (event) =>
      event.type === "case"
        ? String(event.caseId) === id
        : event.type === "playbook_run" && String(event.run.caseId) === id,
  });
  const isThere = view.data !== null;
  useEffect(() => {
    if (isThere) void markTour("openedCase");
  }, [isThere]);
  return (
    <Loaded of={view} what="Loading the case" lines={10}>
      {(data) => <Case view={data} replace={view.replace} reload={view.reload} query={query} />}
    </Loaded>
  );
}

interface CaseContent {
  view: CaseView;
  replace: (view: CaseView) => void;
  reload: () => void;
  query: URLSearchParams;
}

type Opened = { kind: "action"; on: ActionOn } | { kind: "playbook" } | null;

function Case({ view, replace, reload, query }: CaseContent): JSX.Element {
  const [opened, setOpened] = useState<Opened>(null);
  useTitle(`Case ${view.id}: ${visible(view.title)}`);
  const open = (on: Partial<ActionOn> = {}): void => {
    setOpened({ kind: "action", on: { subject: null, alertKey: null, action: null, ...on } });
  };
  const close = (): void => {
    setOpened(null);
    reload();
  };
  const tabs = tabsOf(view);
  const tab = tabs.find(({ id }) => id === query.get("tab"))?.id ?? "events";
  const alert = query.get("alert");
  return (
    <>
      <CaseHead
        view={view}
        replace={replace}
        onAction={open}
        onPlaybook={() => {
          setOpened({ kind: "playbook" });
        }}
      />
      <div class="case-columns">
        <Tabs
          label="Parts of the case"
          tabs={tabs}
          selected={tab}
          onSelect={(next) => {
            setQuery({ tab: next, event: null, alert: null });
          }}
        >
          <Panel view={view} tab={tab} query={query} open={open} />
        </Tabs>
        <CaseSide view={view} replace={replace} />
      </div>
      {alert !== null && <AlertDrawer key={alert} alertKey={alert} caseId={view.id} replace={replace} />}
      {opened?.kind === "action" && (
        <ActionDialog
          caseId={view.id}
          view={view}
          instanceId={view.instance?.id ?? null}
          on={opened.on}
          onClose={close}
        />
      )}
      {opened?.kind === "playbook" && <PlaybookDialog view={view} onClose={close} />}
    </>
  );
}

function tabsOf(view: CaseView): Tab[] {
  return [
    { id: "events", label: "Events", count: view.events },
    { id: "alerts", label: "Alerts", count: view.alerts },
    { id: "entities", label: "Entities", count: view.entities },
    { id: "cuts", label: "Where to cut" },
    { id: "remediation", label: "Remediation" },
    { id: "trends", label: "Trends" },
    { id: "tree", label: "Ways into Tier Zero" },
    { id: "actions", label: "Actions", count: view.totals.actions + view.totals.playbookRuns },
    { id: "history", label: "History" },
  ];
}

function Panel(props: {
  view: CaseView;
  tab: string;
  query: URLSearchParams;
  open: (on?: Partial<ActionOn>) => void;
}): JSX.Element {
  const { view, open } = props;
  switch (props.tab) {
    case "alerts":
      return <CaseAlerts view={view} />;
    case "entities":
      return (
        <CaseEntities
          view={view}
          onAction={(subject, action) => {
            open({ subject, action });
          }}
        />
      );
    case "cuts":
      return <CaseCuts view={view} />;
    case "remediation":
      return <CaseRemediation view={view} />;
    case "trends":
      return <CaseTrends view={view} />;
    case "tree":
      return <CaseMetaTree view={view} actions={graphActions(open)} />;
    case "actions":
      return (
        <CaseActions
          view={view}
          onAction={() => {
            open();
          }}
        />
      );
    case "history":
      return <CaseHistory view={view} />;
    default:
      return (
        <CaseEvents
          view={view}
          query={props.query}
          onAction={(subject, alertKey, isComplete) => {
            setQuery({ event: null });
            open({ subject, alertKey, isComplete });
          }}
        />
      );
  }
}

import type { JSX } from "preact";
import { visible } from "../../../../widgets/shared/text.ts";
import type { PlaybookRunView, PlaybookStep, PlaybookView } from "../../contract/index.ts";
import { call } from "../api.ts";
import { RunStatusBadge } from "../parts/badge.tsx";
import { Flow } from "../parts/flow.tsx";
import { PageHead } from "../parts/layout.tsx";
import { RunTimes } from "../parts/run-facts.tsx";
import { Loaded, Notice } from "../parts/states.tsx";
import { useResource } from "../resource.ts";
import type { PageProps } from "../router.ts";
import { useTitle } from "../title.ts";
import { caseUrl } from "../urls.ts";

export function PlaybookRunStatus({ status }: { status: PlaybookRunView["status"] }): JSX.Element {
  return <RunStatusBadge status={status === "done" ? "completed" : status} />;
}

/** Steps that a playbook no longer has, or all of a playbook that is gone, one below the other. */
function asSteps({ steps }: PlaybookRunView): PlaybookStep[] {
  return steps.map(({ name }) => ({ name, kind: "action", action: null, branches: [] }));
}

export function PlaybookRunPage({ params }: PageProps): JSX.Element {
  const id = params["id"] ?? "";
  const run = useResource((signal) => call("GET /playbook-runs/:id", { path: { id }, signal }), [id], {
    on: (event) => event.type === "playbook_run" && event.run.id === id,
  });
  const playbooks = useResource((signal) => call("GET /playbooks", { signal }), []);
  return (
    <Loaded of={run} what="Loading the playbook run" lines={8}>
      {(view) => <PlaybookRun view={view} playbooks={playbooks.data} />}
    </Loaded>
  );
}

function PlaybookRun({ view, playbooks }: { view: PlaybookRunView; playbooks: PlaybookView[] | null }): JSX.Element {
  useTitle(`${visible(view.playbook)}, case ${view.caseId}`);
  const playbook = playbooks?.find(({ name }) => name === view.playbook);
  return (
    <>
      <PageHead
        title={visible(view.playbook)}
        up={{ href: caseUrl(view.caseId, { tab: "actions" }), text: `Case ${view.caseId}` }}
      >
        <span class="about-line">
          <PlaybookRunStatus status={view.status} />
          <RunTimes run={view} />
          <a href={caseUrl(view.caseId, { alert: view.alertKey })}>its alert</a>
        </span>
      </PageHead>
      {playbooks !== null && playbook === undefined && (
        <Notice look="warning">This playbook is not installed any more. The steps are shown without their ways.</Notice>
      )}
      <Flow steps={playbook?.steps ?? asSteps(view)} run={view} />
    </>
  );
}

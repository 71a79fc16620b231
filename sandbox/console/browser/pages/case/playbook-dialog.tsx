import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { visible } from "../../../../../widgets/shared/text.ts";
import type { CaseView, PlaybookView } from "../../../contract/index.ts";
import { call } from "../../api.ts";
import { Button, LinkButton, useTask } from "../../parts/button.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Form, SelectField } from "../../parts/form.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { useResource } from "../../resource.ts";
import { go } from "../../router.ts";
import { playbookRunUrl } from "../../urls.ts";
import { alertsCut } from "./alerts.tsx";

/** Runs a playbook on one alert of a case. */
export function PlaybookDialog({ view, onClose }: { view: CaseView; onClose: () => void }): JSX.Element {
  const playbooks = useResource((signal) => call("GET /playbooks", { signal }), []);
  return (
    <Dialog title="Run playbook" onClose={onClose}>
      <Loaded of={playbooks} what="Loading the playbooks">
        {(list) =>
          list.length === 0 ? (
            <Empty
              icon="playbooks"
              title="No playbooks."
              actions={<LinkButton href="/marketplace">Go to Marketplace</LinkButton>}
            >
              The installed packages bring none.
            </Empty>
          ) : (
            <PlaybookForm view={view} playbooks={list} />
          )
        }
      </Loaded>
    </Dialog>
  );
}

function PlaybookForm({ view, playbooks }: { view: CaseView; playbooks: readonly PlaybookView[] }): JSX.Element {
  const [name, setName] = useState(playbooks[0]?.name ?? "");
  const [alertKey, setAlertKey] = useState(view.alertList[0]?.key ?? 0);
  const start = useTask(async () => {
    const run = await call("POST /playbooks/:name/runs", { path: { name }, body: { alertKey } });
    go(playbookRunUrl(run.id));
  });
  return (
    <Form onSubmit={start.run}>
      <SelectField
        label="Playbook"
        isRequired
        help={visible(playbooks.find((known) => known.name === name)?.description ?? "")}
        value={name}
        options={playbooks.map((known) => ({ value: known.name, text: visible(known.name) }))}
        onChange={setName}
      />
      <SelectField
        label="Alert"
        isRequired
        help={alertsCut(view)}
        value={String(alertKey)}
        options={view.alertList.map(({ key, title }) => ({ value: String(key), text: visible(title) }))}
        onChange={(key) => {
          setAlertKey(Number(key));
        }}
      />
      <div>
        <Button submit look="primary" icon="play" isBusy={start.isBusy}>
          Run playbook
        </Button>
      </div>
    </Form>
  );
}

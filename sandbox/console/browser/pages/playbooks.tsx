import type { JSX } from "preact";
import { visible } from "../../../../widgets/shared/text.ts";
import type { PlaybookView } from "../../contract/index.ts";
import { call } from "../api.ts";
import { LinkButton, useTask } from "../parts/button.tsx";
import { Switch } from "../parts/field.tsx";
import { Flow } from "../parts/flow.tsx";
import { PageHead, Section } from "../parts/layout.tsx";
import { Empty, Loaded } from "../parts/states.tsx";
import { toast } from "../toast.ts";
import { useResource } from "../resource.ts";

export function PlaybooksPage(): JSX.Element {
  const playbooks = useResource((signal) => call("GET /playbooks", { signal }), [], {
    on: ({ type }) => type === "packages" || type === "playbooks",
  });
  return (
    <>
      <PageHead title="Playbooks">What the packages do with an alert, step by step.</PageHead>
      <Loaded of={playbooks} what="Loading the playbooks">
        {(list) =>
          list.length === 0 ? (
            <Empty
              icon="playbooks"
              title="No playbooks."
              actions={<LinkButton href="/marketplace">Go to Marketplace</LinkButton>}
            >
              A package brings them. Install one that does.
            </Empty>
          ) : (
            list.map((playbook) => (
              <Playbook
                key={playbook.name}
                playbook={playbook}
                onChange={(changed) => {
                  playbooks.replace(list.map((known) => (known.name === changed.name ? changed : known)));
                }}
              />
            ))
          )
        }
      </Loaded>
    </>
  );
}

function Playbook({
  playbook,
  onChange,
}: {
  playbook: PlaybookView;
  onChange: (changed: PlaybookView) => void;
}): JSX.Element {
  const { name, description, integration, enabled, steps } = playbook;
  const toggle = useTask(async (isOn: boolean) => {
    onChange(await call("PUT /playbooks/:name/enabled", { path: { name }, body: { enabled: isOn } }));
    toast(isOn ? `${name} runs on each new alert.` : `${name} runs only when you start it.`);
  });
  return (
    <Section
      title={visible(name)}
      actions={<Switch label="Run on new alerts" isOn={enabled} isBusy={toggle.isBusy} onChange={toggle.run} />}
    >
      <div class="stack">
        <p class="measure">{visible(description)}</p>
        <p class="muted">From {visible(integration)}. To run it on one alert, open a case and choose Run playbook.</p>
        <Flow steps={steps} />
      </div>
    </Section>
  );
}

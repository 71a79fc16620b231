import type { JSX } from "preact";
import type { ConnectorView } from "../../contract/index.ts";
import { call } from "../api.ts";
import { Button, useTask } from "../parts/button.tsx";
import { Switch } from "../parts/field.tsx";
import { toast } from "../toast.ts";
import { go } from "../router.ts";
import { runUrl } from "../urls.ts";

interface ControlProps {
  connector: ConnectorView;
  changed: () => void;
}

/** Puts the connector on its schedule, or takes it off. */
export function ConnectorSwitch({ connector, changed }: ControlProps): JSX.Element {
  const { id, name, enabled } = connector;
  const change = useTask(async (wanted: boolean) => {
    await call("PUT /connectors/:id/enabled", { path: { id }, body: { enabled: wanted } });
    changed();
  });
  return (
    <Switch
      label={
        <>
          {enabled ? "Enabled" : "Disabled"}
          <span class="unseen">: {name}</span>
        </>
      }
      isOn={enabled}
      isBusy={change.isBusy}
      onChange={change.run}
    />
  );
}

/** Runs it now, tries what a run would create, or stops the run that is under way. */
export function RunButtons({
  connector,
  changed,
  size = "normal",
}: ControlProps & { size?: "normal" | "small" }): JSX.Element {
  const { id, name, runningId } = connector;
  const start = useTask(async (test: boolean) => {
    const { runId } = await call("POST /connectors/:id/run", { path: { id }, body: { test } });
    const href = runUrl(runId);
    if (test) {
      go(href);
      return;
    }
    toast(`${name} runs.`, "plain", { href, text: "Watch it" });
    changed();
  });
  const stop = useTask(async () => {
    if (runningId === null) return;
    await call("POST /runs/:id/stop", { path: { id: runningId } });
    changed();
  });
  if (runningId !== null)
    return (
      <Button
        size={size}
        icon="stop"
        isBusy={stop.isBusy}
        label={`Stop: ${name}`}
        onPress={() => {
          stop.run();
        }}
      >
        Stop
      </Button>
    );
  return (
    <span class="actions end">
      <Button
        size={size}
        icon="play"
        isBusy={start.isBusy}
        label={`Run now: ${name}`}
        title={connector.kind === "job" ? "Judge the alerts now" : "Poll now and store what is new"}
        onPress={() => {
          start.run(false);
        }}
      >
        Run now
      </Button>
      <Button
        size={size}
        disabled={start.isBusy}
        label={`Test run: ${name}`}
        title={
          connector.kind === "job" ? "Judge the alerts, change nothing" : "Show what a run would create, store nothing"
        }
        onPress={() => {
          start.run(true);
        }}
      >
        Test run
      </Button>
    </span>
  );
}

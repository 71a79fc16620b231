import type { JSX } from "preact";
import { visible } from "../../../../widgets/shared/text.ts";
import type { PackageInspection } from "../../contract/index.ts";
import { call } from "../api.ts";
import { bytes } from "../format.ts";
import { refreshOverview } from "../overview.ts";
import { Button, useTask } from "../parts/button.tsx";
import { Contents, Licences } from "../parts/contents.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Facts } from "../parts/layout.tsx";
import { Markdown } from "../parts/markdown.tsx";
import { Failed, Loading, Notice } from "../parts/states.tsx";
import { toast } from "../toast.ts";
import { useResource } from "../resource.ts";

/** A zip from this machine, or the name of a built one. */
export type Source = File | string;

interface InspectionProps {
  source: Source;
  onClose: () => void;
  onInstalled: () => void;
}

function requestOf(source: Source): { query: { built?: string }; body: Blob | null } {
  return typeof source === "string" ? { query: { built: source }, body: null } : { query: {}, body: source };
}

const changes: Readonly<Record<PackageInspection["change"], { title: string; button: string }>> = {
  install: { title: "This is a new integration.", button: "Install" },
  upgrade: { title: "Newer than the version in use.", button: "Upgrade" },
  downgrade: { title: "Older than the version in use.", button: "Downgrade" },
  rebuild: { title: "Another build of the version in use.", button: "Install this build" },
  same: { title: "This version is in use already.", button: "Install again" },
};

/** Shows what a zip holds; a damaged, foreign or tampered one is refused with the reason. */
export function InspectionDialog({ source, onClose, onInstalled }: InspectionProps): JSX.Element {
  const name = typeof source === "string" ? source : source.name;
  const inspected = useResource((signal) => call("POST /packages/inspect", { ...requestOf(source), signal }), [source]);
  const install = useTask(async () => {
    if (inspected.data === null) return;
    const { query, body } = requestOf(source);
    const { manifest } = await call("POST /packages", { query: { ...query, sha256: inspected.data.sha256 }, body });
    toast(`${manifest.name} ${manifest.version} is installed.`, "good", {
      href: "/instances?new=instance",
      text: "Add an instance",
    });
    void refreshOverview();
    onInstalled();
    onClose();
  });
  const { data, error } = inspected;
  return (
    <Dialog
      shape="wide"
      title={name}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{error === null ? "Cancel" : "Close"}</Button>
          {data !== null && error === null && (
            <Button look="primary" icon="download" isBusy={install.isBusy} onPress={install.run}>
              {changes[data.change].button}
            </Button>
          )}
        </>
      }
    >
      {error !== null && <Failed error={error} />}
      {data === null && error === null && <Loading what="Checking the package" />}
      {data !== null && error === null && <Inspected inspection={data} />}
    </Dialog>
  );
}

function Inspected({ inspection }: { inspection: PackageInspection }): JSX.Element {
  const { change, currentVersion } = inspection;
  return (
    <>
      <div>
        <p class="headline">
          {visible(inspection.name)} {inspection.version}
        </p>
        <p class="muted">{visible(inspection.description)}</p>
      </div>
      <Notice look={change === "downgrade" ? "warning" : "plain"}>
        {changes[change].title}
        {currentVersion !== null && change !== "install" && ` In use: ${currentVersion}.`}
        {change !== "install" && " Connector state, cases and instances stay."}
      </Notice>
      <Facts
        of={[
          ["Identifier", inspection.identifier],
          ["Version", inspection.version],
          ["Size", bytes(inspection.bytes)],
          ["SHA-256", <code key="sha">{inspection.sha256}</code>],
        ]}
      />
      <Contents contents={inspection.contents} />
      <details open>
        <summary>Release notes</summary>
        <Markdown text={inspection.releaseNotes} />
      </details>
      <Licences licences={inspection.licences} />
    </>
  );
}

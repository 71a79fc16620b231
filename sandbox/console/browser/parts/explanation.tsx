import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { visible } from "../../../../widgets/shared/text.ts";
import { call } from "../api.ts";
import { useResource } from "../resource.ts";
import { Loaded } from "./states.tsx";
import { Facts } from "./layout.tsx";

/** What a kind of relationship means, once somebody opens it. */
export function Explanation({ kind }: { kind: string }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  return (
    <details
      class="explanation"
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <summary>What {visible(kind)} means</summary>
      {isOpen && <Explained kind={kind} />}
    </details>
  );
}

function Explained({ kind }: { kind: string }): JSX.Element {
  const known = useResource(
    // A resource that is null has not been loaded.
    async (signal) => ({ edge: await call("GET /relationships/:kind", { path: { kind }, signal }) }),
    [kind],
  );
  return (
    <Loaded of={known} what="Loading the explanation" lines={3}>
      {({ edge }) =>
        edge === null ? (
          <p class="muted">No public page explains this kind of relationship.</p>
        ) : (
          <Facts
            of={[
              ["What it allows", edge.allows],
              ["How it is abused", edge.abuse],
              ["How its use is noticed", edge.notice],
              ["How it is removed safely", edge.removal],
              ["Technique", edge.technique === null ? "The page names none." : `MITRE ATT&CK ${edge.technique}`],
              [
                "Source",
                <a key="source" href={edge.source} target="_blank" rel="noopener noreferrer" class="foreign">
                  {edge.source}
                </a>,
              ],
            ]}
          />
        )
      }
    </Loaded>
  );
}

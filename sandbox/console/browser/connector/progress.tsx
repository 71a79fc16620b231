import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { visible } from "../../../../widgets/shared/text.ts";
import { useLive } from "../live.ts";

/** How far a run is, according to the last progress that it reported while this page is open. */
export function RunProgress({ runId }: { runId: string }): JSX.Element | null {
  const [text, setText] = useState<string | null>(null);
  useLive((event) => {
    if (event.type !== "progress" || event.runId !== runId) return;
    setText(`${event.done} of ${event.total} ${event.label}`);
  });
  return text === null ? null : <span class="small number">{visible(text)}</span>;
}

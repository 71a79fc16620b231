import type { JSX } from "preact";
import { visible } from "../../../../../widgets/shared/text.ts";
import type { RunView } from "../../../contract/index.ts";
import type { Heard } from "../../live.ts";

/** Its log is part of it: the requests that it sends stand there. */
export function isAbout(runId: string): (event: Heard) => boolean {
  return (event) =>
    event.type === "run"
      ? event.run.id === runId
      : (event.type === "progress" || event.type === "log") && event.runId === runId;
}

export function Progress({ run }: { run: Pick<RunView, "progress"> }): JSX.Element {
  const { progress } = run;
  const text = progress === null ? "Running" : `${progress.done} of ${progress.total} ${visible(progress.label)}`;
  return (
    <p class="run-progress" role="status">
      <progress
        aria-label="Progress"
        {...(progress === null ? {} : { value: progress.done, max: Math.max(1, progress.total) })}
      />
      {text}
    </p>
  );
}

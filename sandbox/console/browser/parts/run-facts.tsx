import type { JSX } from "preact";
import { visible } from "../../../../widgets/shared/text.ts";
import type { RunRow } from "../../contract/index.ts";
import { Foreign, RunStatusBadge } from "./badge.tsx";
import type { Column } from "./table.tsx";
import { now, Time } from "./time.tsx";
import { durationText } from "../../../../src/text.ts";

export const statusColumn: Column<{ status: string }> = {
  header: "Status",
  width: "112px",
  cell: ({ status }) => <RunStatusBadge status={status} />,
};

/** The sentence with which a run ended. */
export const resultColumn: Column<{ message: string }> = {
  header: "Result",
  cell: ({ message }) => (
    <p class="clamped">
      <Foreign text={message} />
    </p>
  ),
};

type Span = Pick<RunRow, "startedAt" | "endedAt">;

/** How long a run took, or has taken until now. */
export function Took({ run }: { run: Span }): JSX.Element {
  return <span class="number">{durationText(Math.max(0, (run.endedAt ?? now.value) - run.startedAt))}</span>;
}

/** When a run began, how long it took, and who started it. */
export function RunTimes({ run }: { run: Span & Pick<RunRow, "by"> }): JSX.Element {
  return (
    <>
      <span>
        started <Time at={run.startedAt} />
      </span>
      <span>
        {run.endedAt === null ? "running for " : "took "}
        <Took run={run} />
      </span>
      <span>by {visible(run.by)}</span>
    </>
  );
}

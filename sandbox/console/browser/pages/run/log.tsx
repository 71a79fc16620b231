import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { visible } from "../../../../../widgets/shared/text.ts";
import type { LogLine, RunView } from "../../../contract/index.ts";
import { call } from "../../api.ts";
import { given } from "../../parts/list-filters.tsx";
import { usePaged } from "../../paged.ts";
import { Badge } from "../../parts/badge.tsx";
import { Select } from "../../parts/field.tsx";
import { JsonView } from "../../parts/json.tsx";
import { Empty, Loaded } from "../../parts/states.tsx";
import { More } from "../../parts/table.tsx";
import { setQuery } from "../../router.ts";
import { isAbout } from "./progress.tsx";
import { durationText } from "../../../../../src/text.ts";

const levels = ["error", "warn", "info", "debug"] as const;
const names = { error: "Errors", warn: "Warnings", info: "Information", debug: "Debugging" } as const;
const looks = { error: "danger", warn: "warning", info: "accent", debug: "plain" } as const;

/** The log of a run; while it runs, new lines appear. */
export function RunLog({ run, level }: { run: RunView; level: string | null }): JSX.Element {
  const log = usePaged(
    (cursor, signal) =>
      call("GET /runs/:id/log", {
        path: { id: run.id },
        query: given<{ level?: string; cursor?: string }>({ level, cursor }),
        signal,
      }),
    [run.id, level],
    isAbout(run.id),
  );
  return (
    <div class="stack">
      <div class="filters">
        <Select
          label="Level"
          any="All levels"
          value={level}
          options={levels.map((value) => ({ value, text: `${names[value]} (${run.logLevels[value]})` }))}
          onChange={(chosen) => {
            setQuery({ level: chosen });
          }}
        />
      </div>
      <Loaded of={log} what="Loading the log">
        {() =>
          log.rows.length === 0 ? (
            <Empty title={level === null ? "The log is empty." : "No line of this level."} />
          ) : (
            <div class="section">
              <ol class="log">
                {log.rows.map((line, index) => (
                  <Line key={index} line={line} startedAt={run.startedAt} />
                ))}
              </ol>
              <More of={log} what="lines" />
            </div>
          )
        }
      </Loaded>
    </div>
  );
}

function Line({ line, startedAt }: { line: LogLine; startedAt: number }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const hasFields = Object.keys(line.fields).length > 0;
  return (
    <li>
      <span class="number muted">{durationText(Math.max(0, line.at - startedAt))}</span>
      <Badge look={looks[line.level]}>{line.level}</Badge>
      <div class="log-text">
        <span class="foreign">{visible(line.message)}</span>
        {hasFields && (
          <details
            onToggle={({ currentTarget }) => {
              setOpen(currentTarget.open);
            }}
          >
            <summary>Fields</summary>
            {isOpen && <JsonView value={line.fields} what="fields" open={1} />}
          </details>
        )}
      </div>
    </li>
  );
}

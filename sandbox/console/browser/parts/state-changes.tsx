import type { JSX } from "preact";
import { counted } from "../../../../widgets/shared/text.ts";
import type { StateChange } from "../../contract/index.ts";
import { Badge } from "./badge.tsx";
import { JsonView } from "./json.tsx";
import { changeText, groupChanges } from "./state-change.ts";
import { Empty } from "./states.tsx";

const looks = { Added: "good", Changed: "accent", Removed: "danger" } as const;

/** What a run changed in the connector's state. */
export function StateChanges({ changes, left }: { changes: readonly StateChange[]; left: number }): JSX.Element {
  if (changes.length === 0)
    return <Empty title="The state did not change.">The run found nothing new, or it was not allowed to write.</Empty>;
  return (
    <div class="stack">
      {groupChanges(changes).map((group) => (
        <section key={group.name}>
          <h2 class="foreign">{group.name}</h2>
          <ul class="changes">
            {group.changes.map((change) => (
              <Change key={change.path.join("\n")} change={change} />
            ))}
          </ul>
        </section>
      ))}
      {left > 0 && <p class="muted">{counted(left, "more change")} not shown.</p>}
    </div>
  );
}

function Change({ change }: { change: StateChange }): JSX.Element {
  const { kind, name, before, after, entries } = changeText(change);
  const values = [change.before, change.after].filter((value) => value !== undefined);
  const isNested = values.some((value) => typeof value === "object" && value !== null);
  return (
    <li>
      <Badge look={looks[kind]}>{kind}</Badge>
      <div>
        <p class="mono foreign">{name}</p>
        <p class="change-values">
          {before !== null && (
            <del class="foreign">
              <span class="unseen">before: </span>
              {before}
            </del>
          )}
          {after !== null && (
            <ins class="foreign">
              <span class="unseen">after: </span>
              {after}
            </ins>
          )}
          {entries !== null && <span class="muted">{entries}</span>}
        </p>
        {isNested && (
          <details>
            <summary>Values</summary>
            <div class="change-json">
              {change.before !== undefined && <JsonView value={change.before} what="value before" open={1} />}
              {change.after !== undefined && <JsonView value={change.after} what="value after" open={1} />}
            </div>
          </details>
        )}
      </div>
    </li>
  );
}

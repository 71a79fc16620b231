import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { visible } from "../../../../widgets/shared/text.ts";
import type { Json } from "../../../../src/runtime/protocol.ts";
import { usePart } from "../paged.ts";
import { CopyButton } from "./copy.tsx";
import { preview } from "./preview.ts";
import { More } from "./table.tsx";

/** Entries of one list or object that are shown at once. */
const STEP = 100;

/** A JSON value as a tree whose branches open and close. */
export function JsonView({ value, what = "JSON", open = 2 }: { value: Json; what?: string; open?: number }) {
  return (
    <div class="json">
      <div class="json-copy">
        <CopyButton text={JSON.stringify(value, null, 2)} what={what} />
      </div>
      <Branch name={null} value={value} open={open} />
    </div>
  );
}

function Branch({ name, value, open }: { name: string | null; value: Json; open: number }): JSX.Element {
  if (typeof value !== "object" || value === null)
    return (
      <div class="json-leaf">
        <Name name={name} /> <Leaf value={value} />
      </div>
    );
  const entries = Array.isArray(value)
    ? value.map((item, index) => [String(index), item] as const)
    : Object.entries(value);
  if (entries.length === 0)
    return (
      <div class="json-leaf">
        <Name name={name} /> <span class="muted">{Array.isArray(value) ? "[ ]" : "{ }"}</span>
      </div>
    );
  return <Opening name={name} summary={preview(value)} entries={entries} open={open} />;
}

/** What is closed is not on the page: a result may hold thousands of values. */
function Opening(props: {
  name: string | null;
  summary: string;
  entries: readonly (readonly [string, Json])[];
  open: number;
}): JSX.Element {
  const [isOpen, setOpen] = useState(props.open > 0);
  const shown = usePart(props.entries, STEP);
  return (
    <details
      open={isOpen}
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <summary>
        <Name name={props.name} /> <span class="muted">{props.summary}</span>
      </summary>
      {isOpen && (
        <div class="json-inside">
          {shown.rows.map(([name, value]) => (
            <Branch key={name} name={name} value={value} open={props.open - 1} />
          ))}
          {props.entries.length > STEP && <More of={shown} what="entries" />}
        </div>
      )}
    </details>
  );
}

function Name({ name }: { name: string | null }): JSX.Element | null {
  return name === null ? null : <span class="json-name">{visible(name)}:</span>;
}

function Leaf({ value }: { value: string | number | boolean | null }): JSX.Element {
  const text = typeof value === "string" ? value.split("\n").map(visible).join("\n") : String(value);
  return <span class={`json-${value === null ? "null" : typeof value}`}>{text}</span>;
}

import type { ComponentChildren, JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { integer } from "../../../../widgets/shared/text.ts";
import type { Shown } from "../paged.ts";
import { Button } from "./button.tsx";

export interface Column<T> {
  /** Also the label beside the value where the table is a list, on narrow screens. */
  header: string;
  cell: (row: T) => ComponentChildren;
  align?: "start" | "end";
  /** Such as 120px or 20%; without one, the column takes what is left. */
  width?: string;
  /** Takes the first line where the table is a list. */
  isMain?: boolean;
  /** Left out where the table is a list. */
  isExtra?: boolean;
}

interface TableProps<T> {
  /** What the table holds; read to a screen reader. */
  caption: string;
  columns: readonly Column<T>[];
  rows: readonly T[];
  keyOf: (row: T) => string | number;
  /** Where a row leads: the whole row can be clicked. The main cell should hold the same link, for the keyboard. */
  linkOf?: (row: T) => string;
  isSelected?: (row: T) => boolean;
  /** Shown dimmed while other rows are on their way. */
  isStale?: boolean;
}

/**
 * A table that becomes a list on narrow screens. The roles stand there because a browser forgets them when the layout
 * changes. Arrow up and down go from link to link.
 */
export function Table<T>(props: TableProps<T>): JSX.Element {
  return (
    <table class={props.isStale === true ? "table stale" : "table"} role="table" onKeyDown={walk}>
      <caption class="unseen">{props.caption}</caption>
      <colgroup>
        {props.columns.map(({ header, width }) => (
          <col key={header} {...(width === undefined ? {} : { width })} />
        ))}
      </colgroup>
      <thead role="rowgroup">
        <tr role="row">
          {props.columns.map(({ header, align }) => (
            <th key={header} role="columnheader" scope="col" class={align === "end" ? "end" : undefined}>
              {header}
            </th>
          ))}
        </tr>
      </thead>
      <tbody role="rowgroup">
        {props.rows.map((row) => (
          <Row key={props.keyOf(row)} row={row} {...props} />
        ))}
      </tbody>
    </table>
  );
}

function Row<T>({ row, columns, linkOf, isSelected }: TableProps<T> & { row: T }): JSX.Element {
  const href = linkOf?.(row);
  const selected = isSelected?.(row) === true;
  const classes = [href === undefined ? "" : "linked", selected ? "selected" : ""].join(" ").trim();
  return (
    <tr
      role="row"
      class={classes === "" ? undefined : classes}
      aria-current={selected ? "true" : undefined}
      onClick={href === undefined ? undefined : followRow}
    >
      {columns.map(({ header, cell, align, isMain, isExtra }) => (
        <td
          key={header}
          role="cell"
          data-label={header}
          class={
            [align ?? "", isMain === true ? "main" : "", isExtra === true ? "extra" : ""].join(" ").trim() || undefined
          }
        >
          {cell(row)}
        </td>
      ))}
    </tr>
  );
}

/** A click beside the row's link is a click on it; selecting text is not. */
function followRow(event: MouseEvent & { currentTarget: HTMLTableRowElement }): void {
  const target = event.target instanceof Element ? event.target : null;
  if (target?.closest("a, button, input, select, label, summary") !== null || String(getSelection()) !== "") return;
  const link = event.currentTarget.querySelector("a");
  const { ctrlKey, metaKey, shiftKey } = event;
  link?.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey }));
}

function walk(event: KeyboardEvent & { currentTarget: HTMLTableElement }): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const row = document.activeElement?.closest("tr");
  if (step === undefined || row === undefined || row === null || document.activeElement?.matches("a") !== true) return;
  const rows = [...event.currentTarget.tBodies].flatMap((body) => [...body.rows]);
  const next = rows[rows.indexOf(row) + step]?.querySelector("a");
  if (next === undefined || next === null) return;
  event.preventDefault();
  next.focus();
}

/** How much of a list is shown, and the way to more. */
export function More({ of, what }: { of: Shown<unknown>; what: string }): JSX.Element {
  const count = useRef<HTMLSpanElement>(null);
  const [isPressed, setPressed] = useState(false);
  useEffect(() => {
    // The button that had the focus is gone.
    if (isPressed && of.more === null) count.current?.focus();
  }, [isPressed, of.more]);
  return (
    <div class="more-rows">
      <span ref={count} tabIndex={-1}>
        {integer(of.rows.length)} of {integer(of.total)} {what}
      </span>
      {of.more !== null && (
        <Button
          size="small"
          isBusy={of.isLoadingMore}
          onPress={() => {
            setPressed(true);
            of.more?.();
          }}
        >
          Show more
        </Button>
      )}
    </div>
  );
}

import { DateTime } from "luxon";
import CliTable from "cli-table3";
import type { ActionResult } from "../../src/manifest/types.ts";
import type { AlertEvent, Json } from "../../src/runtime/protocol.ts";
import { printable } from "../../src/runtime/printable.ts";
import type { AlertRow, CaseRow } from "./rows.ts";

/** Screens are made for this many columns. */
export const WIDTH = 100;
const GAP = 2;
const COUNTS_SHOWN = 5;

type Cell = string | number | null;
interface Column {
  title: string;
  /** Columns on the screen; absent: an equal share of what the others leave. */
  width?: number;
  align?: "right";
  /** Breaks long cells at blanks instead of cutting them. */
  wrap?: boolean;
}

/** A table without frames, at most {@link WIDTH} wide. Cells are cut to their column, and control characters escaped. */
export function table(columns: readonly Column[], rows: readonly (readonly Cell[])[]): string {
  const open = columns.filter(({ width }) => width === undefined).length;
  const taken = columns.reduce((sum, { width }) => sum + (width === undefined ? 0 : width + GAP), 0);
  const share = Math.floor((WIDTH - taken) / Math.max(open, 1)) - GAP;
  const widths = columns.map(({ width }) => width ?? share);
  const drawn = new CliTable({
    colWidths: widths.map((width) => width + GAP),
    colAligns: columns.map(({ align }) => align ?? "left"),
    chars: NO_FRAME,
    style: { "padding-left": 0, "padding-right": GAP, head: [], border: [], compact: true },
  });
  drawn.push(
    columns.map(({ title }) => title),
    widths.map((width) => "─".repeat(width)),
    ...rows.map((row) =>
      row.map((cell, index) => {
        const content = typeof cell === "string" ? printable(cell) : (cell ?? "");
        return columns[index]?.wrap === true ? { content, wordWrap: true } : content;
      }),
    ),
  );
  return drawn
    .toString()
    .split("\n")
    .map((line) => line.trimEnd())
    .join("\n");
}

const NO_FRAME = Object.fromEntries(
  [
    ...["top", "top-mid", "top-left", "top-right", "bottom", "bottom-mid", "bottom-left", "bottom-right"],
    ...["left", "left-mid", "mid", "mid-mid", "right", "right-mid", "middle"],
  ].map((name) => [name, ""]),
);

/** Breaks a text at blanks into lines of at most this width. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  for (const word of printable(text).split(" ")) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= width) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}

export function casesTable(cases: readonly CaseRow[]): string {
  return table(
    [
      { title: "Case", width: 5, align: "right" },
      { title: "Severity", width: 8 },
      { title: "Title" },
      { title: "Alerts", width: 6, align: "right" },
      { title: "Events", width: 7, align: "right" },
      { title: "Entities", width: 8, align: "right" },
      { title: "Status", width: 6 },
    ],
    cases.map((row) => [row.id, row.severity, row.title, row.alerts, row.events, row.entities, row.status]),
  );
}

export function alertsTable(alerts: readonly AlertRow[]): string {
  return table(
    [
      { title: "Case", width: 4, align: "right" },
      { title: "Severity", width: 8 },
      { title: "Environment", width: 24 },
      { title: "Finding" },
      { title: "Events", width: 6, align: "right" },
      { title: "Latest (UTC)", width: 16 },
    ],
    alerts.map((row) => [row.caseId, row.severity, row.environmentName, row.title, row.events, minute(row.endTime)]),
  );
}

export function eventsTable(events: readonly AlertEvent[]): string {
  return table(
    [
      { title: "Severity", width: 8 },
      { title: "Finding type", width: 22 },
      { title: "From" },
      { title: "To" },
      { title: "Impact", width: 6, align: "right" },
    ],
    events.map((event) => [
      text(event["severity"]),
      text(event["finding_type"]),
      text(event["source_principal_name"] ?? event["source_object_id"]),
      text(event["target_principal_name"] ?? event["target_object_id"]),
      percent(event["impact_percentage"]),
    ]),
  );
}

export function objectsTable({ objects }: ActionResult<"Get Object Id">): string {
  return table(
    [{ title: "Name" }, { title: "Kind", width: 12 }, { title: "Object id", width: 46 }],
    objects.map(({ name, status, type, objectId }) => [name, type, objectId ?? status.replace("_", " ")]),
  );
}

export function pathTable({ paths }: ActionResult<"Does Path Exist">): string {
  const named = ({ name, objectId }: { name: string | null; objectId: string | null }) =>
    name ?? objectId ?? "unnamed object";
  return table(
    [{ title: "Hop", width: 3, align: "right" }, { title: "From" }, { title: "Relation", width: 22 }, { title: "To" }],
    paths.flatMap(({ hops }) =>
      hops.map(({ from, relation, to }, index) => [index + 1, named(from), relation, named(to)]),
    ),
  );
}

export function assetsTable({ assets }: ActionResult<"Fetch Assets">): string {
  return table(
    [
      { title: "Name", width: 34 },
      { title: "Kind", width: 12 },
      { title: "Counts", wrap: true },
    ],
    assets.map(({ name, objectId, kind, status, counts, error }) => [
      name ?? objectId,
      kind,
      status === "found" ? largest(counts as Record<string, Json>) : (error ?? status.replace("_", " ")),
    ]),
  );
}

/** The largest counts first; zeros say little, and what could not be read is shown as such. */
function largest(counts: Record<string, Json>): string {
  const read = Object.entries(counts).flatMap(([name, value]) =>
    typeof value === "number" && value > 0 ? [{ name, value }] : [],
  );
  const unread = Object.entries(counts).flatMap(([name, value]) => (value === null ? [`${name} ?`] : []));
  const shown = read.sort((a, b) => b.value - a.value).slice(0, COUNTS_SHOWN);
  return [...shown.map(({ name, value }) => `${name} ${value}`), ...unread].join(", ");
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}

function minute(epochMs: number): string {
  return DateTime.fromMillis(epochMs, { zone: "utc" }).toFormat("yyyy-MM-dd HH:mm");
}

function percent(value: unknown): string {
  return typeof value === "number" ? `${Math.round(value)} %` : "";
}

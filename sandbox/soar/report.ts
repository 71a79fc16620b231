import { clearLine, cursorTo } from "node:readline";
import type { Json } from "../../src/runtime/protocol.ts";
import { printable } from "../../src/runtime/printable.ts";
import { WIDTH, wrap } from "./tables.ts";
import { durationText } from "../../src/text.ts";

/** One finished step of the main job: the same facts for people and for programs. */
export interface Step {
  name: string;
  ok: boolean;
  message: string;
  /** Wall time in milliseconds, where it says something. */
  ms?: number;
  /** For programs. */
  facts?: Record<string, unknown>;
  /** For people, below the message: tables by their headings. */
  tables?: [heading: string, table: string][];
}

/** Shows what the main job does. */
export interface Report {
  step(step: Step): void;
  /** Where a running step stands; shown on a terminal only. */
  progress(done: number, total: number, label: string): void;
  /** Says something between the steps; for people only. */
  note(text: string): void;
  end(): void;
}

const NAME_WIDTH = 16;
const BAR_WIDTH = 30;

/** Headings, sentences and tables. */
export function textReport(out: NodeJS.WriteStream): Report {
  const line = (text: string) => {
    clear(out);
    out.write(`${text}\n`);
  };
  return {
    step({ name, ok, ms, message, tables = [] }) {
      const [first = "", ...rest] = wrap(
        ms === undefined ? message : `${message} (${durationText(ms)})`,
        WIDTH - NAME_WIDTH,
      );
      line(`${(ok ? name : `${name} ✗`).padEnd(NAME_WIDTH)}${first}`);
      for (const more of rest) line(`${" ".repeat(NAME_WIDTH)}${more}`);
      for (const [heading, table] of tables) line(heading === "" ? table : `\n${heading}\n${table}`);
      if (tables.length > 0) line("");
    },
    progress(done, total, label) {
      if (!out.isTTY) return;
      const text = total > 0 ? `${bar(done / total)} ${done}/${total} ${label}` : `${label} …`;
      clear(out);
      out.write(printable(text).slice(0, WIDTH - 1));
    },
    note: line,
    end: () => {
      clear(out);
    },
  };
}

/** One JSON document at the end. */
export function jsonReport(out: NodeJS.WritableStream): Report {
  const steps: Json[] = [];
  return {
    step({ name, ok, message, ms, facts }) {
      steps.push({ step: name, ok, message, ms, ...facts } as Json);
    },
    progress: () => undefined,
    note: () => undefined,
    end() {
      const ok = steps.every((step) => (step as { ok: boolean }).ok);
      out.write(`${JSON.stringify({ ok, steps }, null, 2)}\n`);
    },
  };
}

function bar(share: number): string {
  const full = Math.round(Math.min(share, 1) * BAR_WIDTH);
  return `${"█".repeat(full)}${"░".repeat(BAR_WIDTH - full)}`;
}

function clear(out: NodeJS.WriteStream): void {
  if (!out.isTTY) return;
  clearLine(out, 0);
  cursorTo(out, 0);
}

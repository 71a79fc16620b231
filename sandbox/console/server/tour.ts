import { readFileSync, renameSync, writeFileSync } from "node:fs";
import type { Tour } from "../contract/index.ts";

/** What a person has done on this host besides what the host's own rows tell. */
export interface TourMarks {
  read(): Partial<Tour>;
  mark(step: keyof Tour): void;
}

/** Keeps the marks in a file of its own; a file that cannot be read begins anew. */
export function tourMarks(file: string): TourMarks {
  const read = (): Partial<Tour> => {
    try {
      return JSON.parse(readFileSync(file, "utf8")) as Partial<Tour>;
    } catch {
      return {};
    }
  };
  return {
    read,
    mark(step) {
      const draft = `${file}.draft`;
      writeFileSync(draft, JSON.stringify({ ...read(), [step]: true }), { mode: 0o600 });
      renameSync(draft, file);
    },
  };
}

import type { FindingRecord } from "./finding-record.ts";

/** Writes one finding as one line, without its line feed. The same finding gives the same line. */
export type FindingLine = (record: FindingRecord) => string;

/** The formats in which each finding is a line of its own. Loads what writes the line when somebody asks for the format. */
export const FINDING_FORMATS = {
  ocsf: { line: "an OCSF event", load: async () => (await import("./ocsf.ts")).ocsfLine },
} as const satisfies Readonly<Record<string, { line: string; load: () => Promise<FindingLine> }>>;

export type FindingFormat = keyof typeof FINDING_FORMATS;

export function isFindingFormat(format: string): format is FindingFormat {
  return Object.hasOwn(FINDING_FORMATS, format);
}

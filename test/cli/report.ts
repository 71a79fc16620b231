import type { CheckReport } from "../../src/cli/doctor/doctor.ts";

/** What `doctor --json` prints. */
export interface Report {
  canRun: boolean;
  checks: CheckReport[];
}

export const problemsOf = ({ checks }: Report) =>
  checks.filter(({ status }) => status === "failed" || status === "warning");

import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { mapSome } from "./some.ts";
import { builtPackage } from "../support/built-package.ts";
import type { FaultRow, RowOutcome } from "./row.ts";
import { connections } from "./rows/connections.ts";
import { credentials } from "./rows/credentials.ts";
import { newFindings } from "./rows/new-findings.ts";
import { oddRecords } from "./rows/odd-records.ts";
import { limits } from "./rows/limits.ts";
import { serverErrors } from "./rows/server-errors.ts";
import { states } from "./rows/states.ts";
import { tenantChanges } from "./rows/tenant-changes.ts";
import { runRow } from "./run-row.ts";

/** Rows wait for most of their time: for starts, stalls, retries. */
const AT_A_TIME = 4;

/** Runs every row on the built plugin. */
export async function runMatrix(): Promise<RowOutcome[]> {
  const { folder } = await builtPackage();
  const scratch = await mkdtemp(join(tmpdir(), "faults-"));
  try {
    return await mapSome(rowsOf(scratch), AT_A_TIME, (row) => runRow(row, join(folder, "plugin.mjs")));
  } finally {
    await rm(scratch, { recursive: true });
  }
}

function rowsOf(scratch: string): FaultRow[] {
  return [
    ...limits,
    ...serverErrors,
    ...connections(scratch),
    ...credentials,
    ...newFindings,
    ...tenantChanges,
    ...oddRecords,
    ...states,
  ];
}

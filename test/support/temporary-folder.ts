import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterSuite } from "./cleanup.ts";

/** The path of an empty folder that is removed when the suite is over. */
export function temporaryFolder(prefix = "test-"): string {
  const path = mkdtempSync(join(tmpdir(), prefix));
  afterSuite(() => {
    rmSync(path, { recursive: true, force: true });
  });
  return path;
}

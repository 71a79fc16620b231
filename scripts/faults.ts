/** `npm run faults`: runs the built plugin under every fault and writes the table of outcomes into docs/reliability.md. */
import { spawnSync } from "node:child_process";

const jest = ["--experimental-vm-modules", "--no-warnings", "node_modules/jest/bin/jest.js"];
const { status } = spawnSync(process.execPath, [...jest, "test/faults/matrix.test.ts"], {
  env: { ...process.env, WRITE_FAULTS: "1" },
  stdio: "inherit",
});
process.exitCode = status ?? 1;

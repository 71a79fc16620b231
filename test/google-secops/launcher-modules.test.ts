import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { install, python } from "./installation.ts";

python.describe("the Python modules of Google SecOps", () => {
  it("bound every wait and the reading of alerts, begin no change that may not end, store a checkpoint only when the run can still end, redact only what people read, and know a tenant by its address", async () => {
    const { folder } = await install("");
    const { status, stderr } = spawnSync(python.found, [join(import.meta.dirname, "test_launcher.py")], {
      env: { PATH: process.env["PATH"], PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: "1" },
      encoding: "utf8",
    });
    expect(`${status} ${stderr}`).toMatch(/^0 [^]*Ran 19 tests/);
  });
});

import { describe, expect, it } from "@jest/globals";
import { unlessAborted } from "../../src/runtime/run-deadline.ts";

describe("unlessAborted", () => {
  const failed = Promise.reject(new Error("no message"));
  failed.catch(() => undefined);

  it("passes a failure on while the run may go on", async () => {
    await expect(unlessAborted(failed, new AbortController().signal)).rejects.toThrow("no message");
  });

  it("waits for nothing once the run must stop", async () => {
    await unlessAborted(new Promise(() => undefined), AbortSignal.abort(new Error("stopped")));
    await unlessAborted(failed, AbortSignal.abort(new Error("stopped")));
  });
});

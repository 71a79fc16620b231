import { describe, expect, it } from "@jest/globals";
import { resolveOnAbort } from "../../src/runtime/run-deadline.ts";

describe("resolveOnAbort", () => {
  const failed = Promise.reject(new Error("no message"));
  failed.catch(() => undefined);

  it("passes a failure on while the run may go on", async () => {
    await expect(resolveOnAbort(failed, new AbortController().signal)).rejects.toThrow("no message");
  });

  it("waits for nothing once the run must stop", async () => {
    await resolveOnAbort(new Promise(() => undefined), AbortSignal.abort(new Error("stopped")));
    await resolveOnAbort(failed, AbortSignal.abort(new Error("stopped")));
  });
});

import { openService } from "../src/connection.ts";
import type { Asset } from "../src/investigation/read-asset.ts";
import { readAssets } from "../src/investigation/read-assets.ts";
import { tally } from "../src/investigation/sentences.ts";
import { defineAction } from "../src/runtime/modules.ts";

export default defineAction("Fetch Assets", async (context) => {
  const objectIds = context.parameters["Object IDs"];
  const service = openService(context, context.instance);
  try {
    const { assets, remaining, cause, state } = await readAssets(service, objectIds, context.state, context.log);
    const json = { assets };
    if (remaining > 0) {
      const message = `${assets.length} of ${objectIds.length} assets are done; the others follow in the next run.`;
      return { status: "in_progress", message, value: false, json, state };
    }
    const nothing = assets.every((asset) => asset.status === "failed");
    return {
      status: nothing ? "failed" : "completed",
      message: nothing && cause !== null ? `Could not read any asset. ${cause.message}` : summary(assets),
      value: !nothing && assets.every((asset) => asset.status === "found"),
      json,
    };
  } finally {
    service.close();
  }
});

function summary(assets: readonly Asset[]): string {
  const items = assets.map(({ objectId, status }) => ({ label: objectId, status }));
  return tally(items, {
    done: "Read",
    noun: "asset",
    others: { not_found: "not found", failed: "could not be read" },
  });
}

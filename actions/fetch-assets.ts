import { openService } from "../src/connection.ts";
import type { Asset } from "../src/investigation/read-asset.ts";
import { assetState, readAssets, readAssetState } from "../src/investigation/read-assets.ts";
import { tally } from "../src/investigation/sentences.ts";
import { defineAction } from "../src/runtime/modules.ts";

export default defineAction("Fetch Assets", async (context) => {
  const objectIds = context.parameters["Object IDs"];
  const done = readAssetState(context.state, objectIds);
  const service = openService(context, context.instance);
  try {
    const { assets, remaining, cause } = await readAssets(service, objectIds, done, context.log);
    const json = { assets };
    if (remaining.length > 0) {
      const message = `Read ${assets.length} of ${objectIds.length} assets. The next run reads the rest.`;
      return { status: "in_progress", message, value: false, json, state: assetState(assets) };
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

import { openService } from "../src/connection.ts";
import { assetTable } from "../src/investigation/assets/asset-wall.ts";
import { readCaseContext, valuesOrEntities } from "../src/investigation/case-context.ts";
import type { Asset } from "../src/investigation/assets/read-asset.ts";
import { isObjectId } from "../src/investigation/objects/name-forms.ts";
import { readAssets } from "../src/investigation/assets/read-assets.ts";
import { pauseAfter, remainderSentence } from "../src/investigation/result/refusal.ts";
import { otherForms, reasons, tally } from "../src/investigation/result/sentences.ts";
import { isObject } from "../src/json.ts";
import { defineAction } from "../src/runtime/modules.ts";
import { counted, listed, sentences } from "../src/text.ts";

export default defineAction("Fetch Assets", async (context) => {
  const { state: former, log } = context;
  const known = readCaseContext(context.context, context.clock.now());
  const { values, selected, note } = valuesOrEntities("Object IDs", context.parameters["Object IDs"], known);
  const service = openService(context, context.instance);
  try {
    const options = { names: selected, state: former, log };
    const { assets, facts, namedBy, remaining, refusal, cause, state } = await readAssets(service, values, options);
    const json = { assets, ...(remaining > 0 && { remaining }) };
    if (remaining > 0) {
      await pauseAfter(refusal, context);
      const said = [summary(assets, remaining), remainderSentence("reads", refusal)];
      return {
        status: "in_progress",
        message: sentences([...said, ...gaps(assets), note]),
        value: null,
        json,
        state,
      };
    }
    const nothing = assets.every((asset) => asset.status === "failed");
    const said =
      nothing && cause !== null
        ? [`Could not read any asset. ${cause.message}`]
        : [summary(assets, 0), ...reasons(assets.flatMap(({ error }) => error ?? []))];
    return {
      status: nothing ? "failed" : "completed",
      message: sentences([
        ...said,
        ...(selected ? [] : nameHint(assets)),
        ...otherForms(namedBy),
        ...gaps(assets),
        note,
      ]),
      value: assets.every((asset) => asset.status === "found"),
      json,
      tables: [assetTable(assets)],
      ...facts.about(known.entities),
    };
  } finally {
    service.close();
  }
});

/** What to do about names among the object ids: the service may well know such an object. */
function nameHint(assets: readonly Asset[]): string[] {
  const isName = ({ status, objectId }: Asset): boolean => status === "not_found" && !isObjectId(objectId);
  return assets.some(isName) ? ["Object IDs takes no names: Get Object Id finds the object id of a name."] : [];
}

/** What the result does not have of assets that were read. */
function gaps(assets: readonly Asset[]): string[] {
  const unread = assets.flatMap(({ objectId, name, related }) =>
    Object.entries(related).flatMap(([list, { error }]) =>
      error === undefined ? [] : [`${list} of ${name ?? objectId}`],
    ),
  );
  const unknown = assets.reduce((sum, { counts }) => sum + unknownCounts(counts), 0);
  const truncated = assets.some((asset) => asset.truncated);
  return [
    ...(unread.length > 0 ? [`Incomplete: ${listed(unread)}. The JSON result says why.`] : []),
    ...(unknown > 0 ? [`Not known: ${counted(unknown, "count")}, null in the JSON result.`] : []),
    ...(truncated
      ? ["The JSON result does not have every related object or property, because there are too many."]
      : []),
  ];
}

function unknownCounts(counts: unknown): number {
  if (counts === null) return 1;
  return isObject(counts) ? Object.values(counts).reduce((sum: number, each) => sum + unknownCounts(each), 0) : 0;
}

function summary(assets: readonly Asset[], remaining: number): string {
  const items = assets.map(({ objectId, status }) => ({ label: objectId, status }));
  const others = { not_found: "not found", failed: "could not be read" };
  return tally(items, { done: "Read", noun: "asset", others }, items.length + remaining);
}

import { openService } from "../src/connection.ts";
import { readCaseContext, valuesOrEntities } from "../src/investigation/case-context.ts";
import { areAllFound, findObjectIds, type NamedObject } from "../src/investigation/objects/object-ids.ts";
import { pauseAfter, remainderSentence } from "../src/investigation/result/refusal.ts";
import { otherForms, reasons, tally } from "../src/investigation/result/sentences.ts";
import { defineAction } from "../src/runtime/modules.ts";
import { sentences } from "../src/text.ts";

export default defineAction("Get Object Id", async (context) => {
  const known = readCaseContext(context.context, context.clock.now());
  const { values: names, note } = valuesOrEntities("Object Names", context.parameters["Object Names"], known);
  const service = openService(context, context.instance);
  try {
    const { state: former, log } = context;
    const found = await findObjectIds(service, names, { state: former, log });
    const { objects, facts, remaining, refusal, cause, state } = found;
    const json = { objects, ...(remaining > 0 && { remaining }) };
    if (remaining > 0) {
      await pauseAfter(refusal, context);
      const said = [summary(objects, names.length), remainderSentence("looks up", refusal)];
      return { status: "in_progress", message: sentences([...said, note]), value: null, json, state };
    }
    const nothing = objects.every((object) => object.status === "failed");
    const said =
      nothing && cause !== null
        ? [`Could not look up any name. ${cause.message}`]
        : [summary(objects, names.length), ...reasons(objects.flatMap(({ error }) => error ?? []))];
    return {
      status: nothing ? "failed" : "completed",
      message: sentences([
        ...said,
        ...otherForms(
          objects.map(({ name: text, objectId, fullName }) => ({ text, objectId, name: fullName ?? null })),
        ),
        ...(objects.some(({ truncated }) => truncated)
          ? ["The JSON result does not have every match of each name, because there are too many."]
          : []),
        note,
      ]),
      value: areAllFound(objects),
      json,
      ...facts.about(known.entities),
    };
  } finally {
    service.close();
  }
});

function summary(objects: readonly NamedObject[], total: number): string {
  const items = objects.map(({ name, status }) => ({ label: name, status }));
  const others = { ambiguous: "ambiguous", not_found: "not found", failed: "could not be looked up" };
  return tally(items, { done: "Found", noun: "name", others }, total);
}

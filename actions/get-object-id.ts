import { openService } from "../src/connection.ts";
import { readCaseContext, valuesOrEntities } from "../src/investigation/case-context.ts";
import { findObjectIds, type NamedObject } from "../src/investigation/object-ids.ts";
import { tally } from "../src/investigation/sentences.ts";
import { defineAction } from "../src/runtime/modules.ts";
import { sentences } from "../src/runtime/sentences.ts";

export default defineAction("Get Object Id", async (context) => {
  const known = readCaseContext(context.context);
  const { values: names, note } = valuesOrEntities("Object Names", context.parameters["Object Names"], known);
  const service = openService(context, context.instance);
  try {
    const { objects, facts, cause } = await findObjectIds(service, names, context.log);
    const nothing = objects.every((object) => object.status === "failed");
    const said = cause === null ? summary(objects) : `Could not look up any name. ${cause.message}`;
    return {
      status: nothing ? "failed" : "completed",
      message: sentences([said, note]),
      value: objects.every((object) => object.status === "found"),
      json: { objects },
      ...facts.about(known.entities),
    };
  } finally {
    service.close();
  }
});

function summary(objects: readonly NamedObject[]): string {
  const items = objects.map(({ name, status }) => ({ label: name, status }));
  return tally(items, {
    done: "Found",
    noun: "name",
    others: { ambiguous: "ambiguous", not_found: "not found", failed: "could not be looked up" },
  });
}

import { openService } from "../src/connection.ts";
import { findObjectIds, type NamedObject } from "../src/investigation/object-ids.ts";
import { tally } from "../src/investigation/sentences.ts";
import { defineAction } from "../src/runtime/modules.ts";

export default defineAction("Get Object Id", async (context) => {
  const names = context.parameters["Object Names"];
  const service = openService(context, context.instance);
  try {
    const { objects, cause } = await findObjectIds(service, names, context.log);
    const nothing = objects.every((object) => object.status === "failed");
    return {
      status: nothing ? "failed" : "completed",
      message: cause === null ? summary(objects) : `Could not look up any name. ${cause.message}`,
      value: objects.every((object) => object.status === "found"),
      json: { objects },
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

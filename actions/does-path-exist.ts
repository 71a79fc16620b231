import { openService } from "../src/connection.ts";
import { provePath, type PathProof } from "../src/investigation/prove-path.ts";
import { named } from "../src/investigation/sentences.ts";
import { defineAction } from "../src/runtime/modules.ts";

export default defineAction("Does Path Exist", async (context) => {
  const { "Start Node": start, "End Node": end } = context.parameters;
  const service = openService(context, context.instance);
  try {
    const proof = await provePath(service, start, end);
    return { status: "completed", message: sentence(proof), value: proof.exists, json: proof };
  } finally {
    service.close();
  }
});

function sentence({ start, end, length, exists }: PathProof): string {
  const [from, to] = [start, end].map(({ name, objectId }) => named(name ?? objectId));
  if (!exists) return `No attack path leads from ${from} to ${to}.`;
  if (length === 0) return `${from} and ${to} are the same object: the path has no hops.`;
  return `An attack path leads from ${from} to ${to} in ${length} hop${length === 1 ? "" : "s"}.`;
}

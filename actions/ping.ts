import { openService } from "../src/connection.ts";
import { manifest } from "../src/generated/manifest.ts";
import { checkConnection, type ConnectionCheck } from "../src/investigation/check-connection.ts";
import { isReadable } from "../src/runtime/errors.ts";
import { nodeInUse } from "../src/runtime/node-in-use.ts";
import { type ActionContext, type ActionOutcome, defineAction } from "../src/runtime/modules.ts";

const NAME = "Attack Path Analysis Service";

export default defineAction("Ping", async (context) => {
  try {
    return await ping(context);
  } catch (error) {
    if (!isReadable(error)) throw error;
    return { status: "failed", message: failure(error), value: false };
  }
});

async function ping(context: ActionContext<"Ping">): Promise<ActionOutcome<"Ping">> {
  const service = openService(context, context.instance);
  const check = await checkConnection(service).finally(() => {
    service.close();
  });
  const { report, error } = check;
  // The request need not wait for this.
  const json = { ...report, version: manifest.version, node: nodeInUse() };
  // Ping is about server and credentials: a permission that is missing is named in the message.
  return error === null || report.authenticated
    ? { status: "completed", message: success(check), value: true, json }
    : { status: "failed", message: failure(error), value: false, json };
}

function failure({ message }: Error): string {
  return `Failed to connect to the ${NAME}: ${message}`;
}

function success({ report, unreadable, incomplete, error: denied }: ConnectionCheck): string {
  const { server, environments, collected } = report;
  const connected = `Successfully connected to the ${NAME} at ${server} with version ${manifest.version} of the plugin.`;
  if (denied !== null) return `${connected} ${denied.message}`;
  const proof = `${connected} The credentials are valid`;
  if (environments === 0) {
    return `${proof}, but they can see no environments. Give the token's user a role that may read environments.`;
  }
  if (unreadable > 0) {
    const listed = unreadable === 1 ? "1 environment" : `${unreadable} environments`;
    return `${proof}. The service listed ${listed} without a usable id, so the number of environments is not known.`;
  }
  if (environments === null) {
    const why = incomplete === null ? "" : ` ${incomplete.message}`;
    return `${proof}. Not all environments could be listed, so their number is not known.${why}`;
  }
  const seen = environments === 1 ? "1 environment" : `${environments} environments`;
  return collected === null
    ? `${proof} and can see ${seen}. The service does not say whether data was collected for all of them.`
    : `${proof} and can see ${seen}, ${collected} with collected data.`;
}

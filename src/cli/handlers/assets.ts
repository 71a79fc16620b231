import type { Asset } from "../../investigation/assets/read-asset.ts";
import { readAssets } from "../../investigation/assets/read-assets.ts";
import { named } from "../../text.ts";
import { ExitCode } from "../exit-codes.ts";
import { writeFacts } from "../facts.ts";
import { unlessReaderIsGone } from "../failures.ts";
import { lookUpHint } from "../look-up-hint.ts";
import type { Output } from "../output/output.ts";
import { serviceHandler } from "../session.ts";

export const assets = serviceHandler(async (cli, service, command, log) => {
  const { json } = command.opts<{ json?: true }>();
  const {
    assets: read,
    remaining,
    cause,
  } = await readAssets(service, command.args, {
    names: true,
    state: null,
    log,
  });
  if (cause !== null && read.every(({ status }) => status === "failed")) throw cause;
  if (json === true) await cli.output.json({ assets: read });
  else await unlessReaderIsGone(() => writeAssets(cli.output, read));
  for (const { objectId, status } of read) {
    if (status === "not_found") cli.output.error(`${named(objectId)} was not found. ${lookUpHint(objectId)}`);
  }
  const missing = read.flatMap(problemsOf);
  if (remaining > 0) missing.push(`Not read, because time or the rate limit ran out: ${remaining} of the objects.`);
  for (const problem of missing) cli.output.error(problem);
  if (missing.length > 0) return ExitCode.partial;
  return read.every(({ status }) => status === "found") ? ExitCode.yes : ExitCode.no;
});

async function writeAssets(output: Output, read: readonly Asset[]): Promise<void> {
  for (const [index, asset] of read.entries()) {
    if (index > 0) await output.write("\n");
    await writeFacts(output, factsOf(asset));
  }
}

/** What could not be read: the object, or some of its lists. */
function problemsOf({ objectId, status, error = "", related }: Asset): string[] {
  if (status === "failed") return [`${objectId}: ${error}`];
  return Object.entries(related).flatMap(([list, { error: reason }]) =>
    reason === undefined ? [] : [`${objectId}, ${list}: ${reason}`],
  );
}

function factsOf({ objectId, status, kind, name, properties, counts, related, error }: Asset): [string, unknown][] {
  const isAbove = (property: string, value: unknown): boolean =>
    (property === "name" && value === name) || (property === "objectid" && value === objectId);
  return [
    ["object id", objectId],
    ["status", status.replace("_", " ")],
    ["name", name],
    ["kind", kind],
    ["error", error],
    ...Object.entries(properties).filter(([property, value]) => !isAbove(property, value)),
    ...Object.entries(counts).map(([key, value]): [string, unknown] => [`count of ${key}`, value ?? "unknown"]),
    ...Object.entries(related).map(([list, entries]): [string, unknown] => [list, namesIn(entries)]),
  ];
}

function namesIn({ items, total, error }: Asset["related"][string]): string {
  if (items === null) return error ?? "";
  const names = items.map((item) => item.name ?? item.objectId).join(", ");
  if (items.length === 0 || total === items.length) return names;
  return `${names} (${items.length} of ${total ?? "an unknown number"})`;
}

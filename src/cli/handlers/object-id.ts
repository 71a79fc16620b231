import { findObjectIds } from "../../investigation/objects/object-ids.ts";
import { ExitCode } from "../exit-codes.ts";
import { unlessReaderIsGone } from "../failures.ts";
import { writeRows } from "../rows.ts";
import { serviceHandler } from "../session.ts";

const columns = [
  { key: "name", title: "Name", narrowest: 16 },
  { key: "status", title: "Status", leftOut: 2 },
  { key: "type", title: "Kind", leftOut: 1 },
  { key: "objectId", title: "Object id", narrowest: 42 },
] as const;

export const objectId = serviceHandler(async (cli, service, command, log) => {
  const { json } = command.opts<{ json?: true }>();
  const { objects, remaining, cause } = await findObjectIds(service, command.args, { state: null, log });
  if (cause !== null) throw cause;
  if (json === true) await cli.output.json({ objects });
  else {
    const rows = objects.flatMap(({ name, fullName, status, type, objectId: id, candidates }) => [
      { name: fullName === undefined ? name : `${name} (${fullName})`, status, type, objectId: id },
      ...(status === "found" ? [] : candidates).map((candidate) => ({ ...candidate, status: "candidate" })),
    ]);
    await unlessReaderIsGone(() => writeRows(cli.output, { format: "table", columns }, rows));
  }
  for (const { name, error } of objects) if (error !== undefined) cli.output.error(`${name}: ${error}`);
  if (remaining > 0) {
    cli.output.error(`Not looked up, because time or the rate limit ran out: ${remaining} of the names.`);
  }
  if (remaining > 0 || objects.some(({ status }) => status === "failed")) return ExitCode.partial;
  return objects.every(({ status }) => status === "found") ? ExitCode.yes : ExitCode.no;
});

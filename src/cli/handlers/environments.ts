import { environmentRecord } from "../../records/environment-record.ts";
import { ENVIRONMENTS, ListOfParts, WITHOUT_ID } from "../list-end.ts";
import { percentage, type RowFormat, writeRows } from "../rows.ts";
import { serviceHandler } from "../session.ts";

const columns = [
  { key: "name", title: "Name", narrowest: 16 },
  { key: "type", title: "Type", leftOut: 1 },
  { key: "collected", title: "Collected", leftOut: 3 },
  { key: "impact_percentage", title: "Impact", align: "right", leftOut: 2, show: percentage },
  { key: "id", title: "Id", narrowest: 42 },
] as const;

export const environments = serviceHandler(async (cli, service, command) => {
  const { format } = command.opts<{ format: RowFormat }>();
  const listed = await service.environments.list();
  const rows = listed.environments.map(environmentRecord);
  await writeRows(cli.output, { format, columns, fields: Object.keys(environmentRecord({ id: "" })) }, rows);
  const parts = new ListOfParts();
  parts.ignore(listed.unreadable, WITHOUT_ID);
  parts.fail(ENVIRONMENTS, listed.incomplete);
  return parts.end(cli.output, { count: rows.length, empty: "The credentials can see no environments." });
});

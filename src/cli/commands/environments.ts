import { type Cli, describeCommand, serviceAction } from "../command.ts";
import { ENVIRONMENTS, ListOfParts, WITHOUT_ID } from "../list-end.ts";
import { type RowFormat, withFormat, writeRows } from "../rows.ts";

const columns = [
  { key: "name", title: "Name", narrowest: 16 },
  { key: "type", title: "Type", leftOut: 1 },
  { key: "collected", title: "Collected", leftOut: 3 },
  { key: "impact", title: "Impact", align: "right", leftOut: 2 },
  { key: "id", title: "Id", narrowest: 42 },
] as const;

const environments = (cli: Cli) =>
  serviceAction(
    cli,
    withFormat(
      describeCommand("environments", "List the environments that the credentials can see.", [
        "environments",
        "environments --format csv > environments.csv",
      ]),
    ),
    async (service, command) => {
      const { format } = command.opts<{ format: RowFormat }>();
      const listed = await service.environments.list();
      const rows = listed.environments.map(({ id, name, type, collected, impactValue }) => ({
        id,
        name: name ?? null,
        type: type ?? null,
        collected: collected ?? null,
        impact: impactValue ?? null,
      }));
      await writeRows(cli.output, { format, columns }, rows);
      const parts = new ListOfParts();
      parts.ignore(listed.unreadable, WITHOUT_ID);
      parts.fail(ENVIRONMENTS, listed.incomplete);
      return parts.end(cli.output, { count: rows.length, empty: "The credentials can see no environments." });
    },
  );
export default environments;

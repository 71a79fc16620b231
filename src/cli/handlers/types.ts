import { environmentName } from "../../ingestion/scope.ts";
import type { AttackPathService, FindingTypeList } from "../../service/attack-path-service.ts";
import { chooseEnvironments } from "../choose-environments.ts";
import { ENVIRONMENTS, ListOfParts, WITHOUT_ID, WITHOUT_NAME } from "../list-end.ts";
import { type Row, type RowFormat, writeRows } from "../rows.ts";
import { serviceHandler } from "../session.ts";

const columns = [
  { key: "environment_name", title: "Environment" },
  { key: "finding_type", title: "Finding type" },
] as const;

export const types = serviceHandler(async (cli, service, command) => {
  const { format } = command.opts<{ format: RowFormat }>();
  const { environments, uncollected, unreadable, incomplete } = await chooseEnvironments(service, command.args);
  const parts = new ListOfParts();
  parts.ignore(unreadable, WITHOUT_ID);
  parts.lack(uncollected);
  async function* rows(): AsyncGenerator<Row> {
    for (const environment of environments) {
      const { id } = environment;
      const name = environmentName(environment);
      for await (const listed of parts.read(name, typesOf(service, id))) {
        parts.ignore(listed.unreadable, WITHOUT_NAME);
        for (const type of listed.types) yield { environment_id: id, environment_name: name, finding_type: type };
      }
    }
  }
  const count = await writeRows(
    cli.output,
    { format, columns, fields: ["environment_id", "environment_name", "finding_type"] },
    rows(),
  );
  parts.fail(ENVIRONMENTS, incomplete);
  return parts.end(cli.output, { count, empty: "There are no finding types." });
});

async function* typesOf({ findings }: AttackPathService, environmentId: string): AsyncGenerator<FindingTypeList> {
  const listed = await findings.types(environmentId);
  yield listed;
  if (listed.incomplete !== undefined) throw listed.incomplete;
}

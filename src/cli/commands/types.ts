import { environmentName } from "../../ingestion/scope.ts";
import { chooseEnvironments } from "../choose-environments.ts";
import { type Cli, describeCommand, serviceAction } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";
import { type Row, type RowFormat, withFormat, writeRows } from "../rows.ts";

const columns = [
  { key: "environment_name", title: "Environment" },
  { key: "finding_type", title: "Finding type" },
] as const;

const types = (cli: Cli) =>
  serviceAction(
    cli,
    withFormat(
      describeCommand("types", "List the finding types that environments have findings of.", [
        "types",
        "types CORP.EXAMPLE.COM --json",
      ]).argument("[environments...]", "names or ids (default: all with collected data)"),
    ),
    async (service, command) => {
      const { format } = command.opts<{ format: RowFormat }>();
      const environments = await chooseEnvironments(service, command.args);
      async function* rows(): AsyncGenerator<Row> {
        for (const environment of environments) {
          const found = await service.findings.types(environment.id);
          for (const type of found.types) {
            yield {
              environment_id: environment.id,
              environment_name: environmentName(environment),
              finding_type: type,
            };
          }
        }
      }
      const count = await writeRows(cli.output, { format, columns }, rows());
      return count > 0 ? ExitCode.yes : ExitCode.no;
    },
  );
export default types;

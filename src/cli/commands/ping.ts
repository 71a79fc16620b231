import { checkConnection } from "../../investigation/check-connection.ts";
import { type Cli, describeCommand, serviceAction } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";

/** The service listed fewer than it counts, or some without a usable id. */
const UNKNOWN = "not known";

const ping = (cli: Cli) =>
  serviceAction(
    cli,
    describeCommand("ping", "Check that the service can be reached and accepts the credentials.", [
      "ping --profile tenant.json",
      "ping --server https://tenant.example.com --token-id 00000000-0000-4000-8000-000000000000 < token-key",
    ]).option("--json", "write the result as JSON"),
    async (service, command) => {
      const { json } = command.opts<{ json?: true }>();
      const { report, error } = await checkConnection(service);
      if (json === true) await cli.output.json(report);
      if (error !== null) throw error;
      const { server, environments, collected } = report;
      if (json !== true) {
        await cli.output.write(
          `Connected to ${server}. Environments: ${environments ?? UNKNOWN}, with collected data: ${collected ?? UNKNOWN}.\n`,
        );
      }
      return ExitCode.yes;
    },
  );
export default ping;

import { checkConnection } from "../../investigation/check-connection.ts";
import { ExitCode } from "../exit-codes.ts";
import { serviceHandler } from "../session.ts";

/** The service listed fewer than it counts, or some without a usable id. */
const UNKNOWN = "not known";

export const ping = serviceHandler(async (cli, service, command) => {
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
});

import { type Cli, describeCommand, handled, withConnectionOptions } from "../command.ts";

const ping = (cli: Cli) =>
  handled(
    cli,
    withConnectionOptions(
      describeCommand("ping", "Check that the service can be reached and accepts the credentials.", [
        "ping --profile tenant.json",
        "ping --server https://tenant.example.com --token-id 00000000-0000-4000-8000-000000000000 < token-key",
      ]).option("--json", "write the result as JSON"),
    ),
    async () => (await import("../handlers/ping.ts")).ping,
  );
export default ping;

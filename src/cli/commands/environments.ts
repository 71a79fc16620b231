import { type Cli, describeCommand, handled, withConnectionOptions, withFormat } from "../command.ts";

const environments = (cli: Cli) =>
  handled(
    cli,
    withConnectionOptions(
      withFormat(
        describeCommand("environments", "List the environments that the credentials can see.", [
          "environments",
          "environments --format csv > environments.csv",
        ]),
      ),
    ),
    async () => (await import("../handlers/environments.ts")).environments,
  );
export default environments;

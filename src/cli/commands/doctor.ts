import { Option } from "commander";
import { type Cli, describeCommand, handled, withConnectionOptions } from "../command.ts";

const doctor = (cli: Cli) => {
  const command = withConnectionOptions(
    describeCommand("doctor", "Find out whether the connector can run, and if not, why and what to do.", [
      "doctor --profile tenant.json",
      "doctor --profile tenant.json --json | jq '.checks[] | select(.status == \"failed\")'",
      "doctor --profile tenant.json --bundle report.json",
      "doctor --all",
    ])
      .option("--json", "write the report as JSON; with --all, one JSON object a line")
      .addOption(
        new Option("--all", "examine the tenants of all profiles, and show a table").conflicts([
          "bundle",
          "profile",
          "server",
          "tokenId",
          "bearer",
        ]),
      )
      .option("--bundle <file>", "write a report for a support case, without secrets, to this file")
      .addHelpText(
        "after",
        "\nEnds with exit code 0 when the connector can run, and with 1 when it cannot. It ends with 2 when\nthe options cannot be used or the report cannot be written, with 3 when the credentials are\nmissing or unsafe to use, and with 130 when it is interrupted. With --all, it ends with the\nlargest of the exit codes of all tenants.",
      ),
  );
  return handled(cli, command, async () => (await import("../handlers/doctor.ts")).doctor);
};
export default doctor;

import { type Cli, describeCommand, serviceAction } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";
import { writeFacts } from "../facts.ts";

const task = (cli: Cli) => {
  const command = describeCommand("task", "Ask about tasks of data collection.", ["task current"]);
  const current = describeCommand("current", "Show the data collection that the calling client runs.", [
    "task current --profile client.json",
    "task current --json",
  ]).option("--json", "write the result as JSON");
  return command.addCommand(
    serviceAction(cli, current, async (service) => {
      const { json } = current.opts<{ json?: true }>();
      const found = await service.clientTasks.current();
      if (json === true) await cli.output.json(found);
      else await writeFacts(cli.output, Object.entries(found));
      return ExitCode.yes;
    }),
  );
};
export default task;

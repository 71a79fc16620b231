import { type Cli, describeCommand, handled, withConnectionOptions } from "../command.ts";

const task = (cli: Cli) => {
  const command = describeCommand("task", "Ask about tasks of data collection.", ["task current"]);
  const current = describeCommand("current", "Show the data collection that the calling client runs.", [
    "task current --profile client.json",
    "task current --json",
  ]).option("--json", "write the result as JSON");
  return command.addCommand(
    handled(cli, withConnectionOptions(current), async () => (await import("../handlers/task.ts")).currentTask),
  );
};
export default task;

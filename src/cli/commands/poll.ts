import type { Deadline } from "../../deadline.ts";
import { printable } from "../../runtime/text.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";
import { type Cli, describeCommand, type ServiceOptions, positive, withServiceOptions } from "../command.ts";
import { ExitCode } from "../exit-codes.ts";
import { exitCodeOf } from "../failures.ts";
import { lineOutput } from "../poll/line-output.ts";
import { type PollRunResult, runPoll } from "../poll/run-poll.ts";
import { withService } from "../session.ts";

interface Options extends ServiceOptions {
  readonly state: string;
  readonly environment?: string[];
  readonly type?: string[];
  readonly maxAlerts?: number;
  readonly maxEvents?: number;
  readonly timeLimit?: number;
  readonly quiet?: true;
}

const SEMANTICS = `
Each line of standard output is one alert, as JSON. The state file remembers what was
delivered. If a run is killed, the next one continues where it was: when standard output
is a regular file (>> alerts.ndjson, on Linux), every alert stands in it exactly once; in a
pipe, the alert that was being written may come again with the same id.

Run it on a schedule, for example from cron. A run that finds another one still
running reads nothing and ends with exit code 1.`;

const poll = (cli: Cli) => {
  const command = withServiceOptions(
    describeCommand("poll", "Run the connector once: write what is new as alerts, one JSON object per line.", [
      "poll --profile tenant.json --state poll.json >> alerts.ndjson",
      'poll --profile tenant.json --state poll.json --environment "CORP.EXAMPLE" --time-limit 240 | my-siem-import',
    ])
      .requiredOption("--state <file>", "remembers what was delivered; the first run creates it")
      .option("--environment <names...>", "only these environments, by name or id (default: all)")
      .option("--type <types...>", "only these finding types (default: all)")
      .option("--max-alerts <number>", "deliver at most this many alerts", positive)
      .option("--max-events <number>", "most findings in one alert (default: 500)", positive)
      .option("--time-limit <seconds>", "stop after this time; the next run continues", positive)
      .option("--quiet", "print no message when everything was read")
      .addHelpText("after", SEMANTICS),
  );
  return command.action(async () => {
    const options = command.opts<Options>();
    cli.exitCode = await withService(
      cli,
      options,
      (service, { deadline }) => pollOnce(cli, options, service, deadline),
      options.timeLimit,
    );
  });
};
export default poll;

async function pollOnce(
  { output, clock }: Cli,
  options: Options,
  service: AttackPathService,
  deadline: Deadline,
): Promise<ExitCode> {
  const result = await runPoll({
    service,
    clock,
    deadline,
    stateFile: options.state,
    output: lineOutput(output.stdout),
    redact: (text) => output.prepare(text),
    selectedEnvironments: options.environment ?? [],
    selectedFindingTypes: options.type ?? [],
    limits: limitsOf(options),
  });
  if (result.outcome.status !== "completed" || options.quiet !== true) output.note(printable(result.outcome.message));
  return exitCodeFor(result);
}

function limitsOf({ maxAlerts, maxEvents }: Options) {
  return {
    ...(maxAlerts === undefined ? {} : { maxAlerts }),
    ...(maxEvents === undefined ? {} : { maxEventsPerAlert: maxEvents }),
  };
}

function exitCodeFor({ outcome: { status }, error }: PollRunResult): ExitCode {
  if (status === "completed") return ExitCode.yes;
  if (error?.code === "aborted") return ExitCode.interrupted;
  if (status === "partial") return ExitCode.partial;
  // Without an error of the service, what was selected cannot be polled.
  return error === null ? ExitCode.usage : exitCodeOf(error);
}

import { openService } from "../src/connection.ts";
import { manifest } from "../src/generated/manifest.ts";
import { poll } from "../src/ingestion/poll.ts";
import { outcomeOf } from "../src/ingestion/report/report.ts";
import { sampleOutcome } from "../src/ingestion/report/sample-report.ts";
import { deliverSample } from "../src/ingestion/sample.ts";
import { Selection } from "../src/ingestion/selection.ts";
import { type ConnectorContext, type ConnectorOutcome, defineConnector } from "../src/runtime/modules.ts";

type Context = ConnectorContext<"Attack Path Findings">;

/**
 * @param open - connects to the tenant; a simulation passes its own
 * @param stateCharacters - how many the state may take; default: see `PollOptions`
 */
export function attackPathFindings(open: typeof openService, stateCharacters?: number) {
  return defineConnector("Attack Path Findings", async (context) => {
    const service = open(context, context.parameters);
    try {
      return await (context.run.test ? testRun(context, service) : pollRun(context, service, stateCharacters));
    } finally {
      service.close();
    }
  });
}

export default attackPathFindings(openService);

async function pollRun(
  context: Context,
  service: ReturnType<typeof openService>,
  stateCharacters: number | undefined,
): Promise<ConnectorOutcome> {
  const { run, clock, deadline, state } = context;
  const result = await poll({
    service,
    clock,
    deadline,
    limits: run,
    state,
    ...(stateCharacters !== undefined && { stateCharacters }),
    selection: new Selection(context.parameters),
    labels: labelsOf(context),
    deliver: (...delivery) => context.deliver(...delivery),
    progress: context.progress,
  });
  return outcomeOf(result);
}

async function testRun(context: Context, service: ReturnType<typeof openService>): Promise<ConnectorOutcome> {
  const { run, clock, deliver } = context;
  const maxAlerts = run.maxAlerts ?? Infinity;
  const selection = new Selection(context.parameters);
  const sample = await deliverSample({ service, clock, maxAlerts, selection, labels: labelsOf(context), deliver });
  return sampleOutcome(sample, selection);
}

function labelsOf({ parameters }: Context) {
  return {
    product: manifest.product,
    vendor: manifest.vendor,
    productField: parameters["Product Field Name"],
    eventField: parameters["Event Field Name"],
  };
}

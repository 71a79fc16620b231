import { openService } from "../src/connection.ts";
import { manifest } from "../src/generated/manifest.ts";
import { poll } from "../src/ingestion/poll.ts";
import {
  counted,
  descriptionNotes,
  nothingSelected,
  outcomeOf,
  scopeNotes,
  uncollectedNotes,
  unofferedNotes,
} from "../src/ingestion/report.ts";
import { deliverSample, type Sample } from "../src/ingestion/sample.ts";
import { type ConnectorContext, type ConnectorOutcome, defineConnector } from "../src/runtime/modules.ts";
import type { JsonObject } from "../src/runtime/protocol.ts";
import { sentences } from "../src/text.ts";

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
    ...selectionOf(context),
    deliver: (alert, patch) => context.deliver(alert, patch),
    progress: context.progress,
  });
  return outcomeOf(result);
}

async function testRun(context: Context, service: ReturnType<typeof openService>): Promise<ConnectorOutcome> {
  const { run, clock, deliver } = context;
  const maxAlerts = run.maxAlerts ?? Infinity;
  const sample = await deliverSample({ service, clock, maxAlerts, ...selectionOf(context), deliver });
  if (sample.scope.selected.length === 0) return nothingSelected(sample.scope);
  const status = sample.descriptions.length === 0 ? "completed" : "partial";
  return { status, message: sentences(sampleMessage(sample)), value: true, json: sampleFigures(sample) };
}

function selectionOf({ parameters }: Context) {
  return {
    selectedEnvironments: parameters["Selected Environments"],
    selectedFindingTypes: parameters["Selected Finding Types"],
    labels: {
      product: manifest.product,
      vendor: manifest.vendor,
      productField: parameters["Product Field Name"],
      eventField: parameters["Event Field Name"],
    },
  };
}

function sampleMessage({ scope, read, alerts, unofferedTypes, descriptions }: Sample): string[] {
  return [
    ...scopeNotes(scope),
    ...unofferedNotes(unofferedTypes),
    ...descriptionNotes({ descriptions, ended: null }),
    `The connector works. It can read ${counted(read, "environment")}. This test run delivered ${counted(alerts, "sample alert")} and saved no state.`,
    ...uncollectedNotes(scope),
  ];
}

function sampleFigures({ scope, alerts }: Sample): JsonObject {
  return { environments: scope.selected.length, alerts };
}

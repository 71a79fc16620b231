import type { ConnectorOutcome } from "../runtime/modules.ts";
import { findingIdentity } from "../service/finding-identity.ts";
import { alertOf } from "./alert.ts";
import { eventOf } from "./event.ts";
import type { Failures } from "./failures.ts";
import type { ReadContext } from "./read-pair.ts";
import type { EnvironmentTypes } from "./scope.ts";

/**
 * A test run: the last added finding of the first finding type that has one, per environment. No checkpoint is written.
 *
 * @param budget - how many alerts the host takes
 */
export async function deliverSample(
  types: EnvironmentTypes[],
  budget: number,
  run: { context: ReadContext; failures: Failures; notes: readonly string[] },
): Promise<ConnectorOutcome> {
  const { context, failures, notes } = run;
  let alerts = 0;
  for (const environmentTypes of types) {
    if (alerts === budget) break;
    const { id, name } = environmentTypes.environment;
    if (await failures.guard(name ?? id, id, () => sampleOf(environmentTypes, context))) alerts += 1;
  }
  const [failure] = failures.list.length > 0 ? failures.list : [failures.ending];
  if (failure != null) return { status: "failed", message: `${failure.what}: ${failure.error.message}`, value: false };
  const sentences = [
    `The connector works: ${types.length} environments can be polled.`,
    ...notes,
    `This test run delivered ${alerts} sample alerts and remembers nothing.`,
  ];
  return {
    status: "completed",
    message: sentences.join(" "),
    value: true,
    json: { environments: types.length, alerts },
  };
}

async function sampleOf({ environment, findingTypes }: EnvironmentTypes, context: ReadContext): Promise<boolean> {
  for (const findingType of findingTypes) {
    const { lastAdded } = await context.service.probe({ environmentId: environment.id, findingType });
    if (lastAdded === null) continue;
    const texts = await context.documents.read(findingType);
    const frame = { ...context.frame, environment, findingType, title: texts.title || findingType };
    const event = eventOf(lastAdded, findingIdentity(lastAdded), frame, context.now);
    context.outbox.send(alertOf([event], frame, texts));
    await context.outbox.emptied();
    return true;
  }
  return false;
}

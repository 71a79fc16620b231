import { plainEnvironment, plainFinding, plainPoll, plainScenario } from "./scenarios.ts";
import { BEFORE, FOREVER, type Span, type Scenario } from "./scenario.ts";

/** Scenarios of tenants at the edge of what there may be. They take minutes, so they are no part of the others. */
export const largeScenarios: Readonly<Record<string, () => Scenario>> = {
  "10,000 environments": () => large({ environments: 10_000, types: 1 }),
  "5,000 finding types": () => large({ environments: 1, types: 5_000 }),
  "1,000 environments with 60 finding types each": () => large({ environments: 1_000, types: 60 }),
  "3,000 finding types with names of 950 characters": () => large({ environments: 1, types: 3_000, name: 950 }),
  "3,000 environments with ids of 950 characters": () => large({ environments: 3_000, types: 1, id: 950 }),
};

interface Size {
  environments: number;
  types: number;
  /** Characters of the name of each finding type, at least. */
  name?: number;
  /** Characters of the id of each environment, at least. */
  id?: number;
}

function large({ environments: count, types: names, name = 0, id = 0 }: Size): Scenario {
  const always: Span[] = [[BEFORE, FOREVER]];
  const types = Array.from({ length: names }, (_, index) => ({ name: `T${index}`.padEnd(name, "x"), listed: always }));
  const environments = Array.from({ length: count }, (_, index) =>
    plainEnvironment({ id: `S-1-5-21-${index}`.padEnd(id, "x"), name: `E${index}.TEST`, types }),
  );
  const findings = environments.flatMap((environment, row) =>
    types.map((type, column) =>
      plainFinding(row * names + column + 1, { environment: environment.id, type: type.name }),
    ),
  );
  const scenario = plainScenario({ environments, findings, polls: [plainPoll(1_000)] });
  scenario.tenant.datapipe = 200;
  return scenario;
}

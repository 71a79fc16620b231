import type { Environment } from "../service/resources/environments.records.ts";

/** One finding type of one environment, the unit of polling. */
export interface Stream {
  readonly environment: Environment;
  readonly findingType: string;
}

/** How messages name an environment. */
export function environmentName({ name, id }: Environment): string {
  return name ?? id;
}

/** How messages name a stream. */
export function streamName({ environment, findingType }: Stream): string {
  return `${environmentName(environment)} / ${findingType}`;
}

import type { Environment } from "../service/resources/environments.records.ts";
import { named } from "../text.ts";

/** One finding type of one environment, the unit of polling. */
export interface Stream {
  readonly environment: Environment;
  readonly findingType: string;
}

/** How messages name an environment. */
export function environmentName({ name, id }: Environment): string {
  return name ?? id;
}

/** How messages name a stream: its names on one line, each of at most 100 characters. */
export function streamName({ environment, findingType }: Stream): string {
  return `${named(environmentName(environment))} / ${named(findingType)}`;
}

/** The environments that a poll reads. */
export interface Scope {
  readonly selected: readonly Environment[];
  /** Names and ids of Selected Environments that no visible environment has. */
  readonly unknown: readonly string[];
  /** Selected environments without data yet: they are not read. */
  readonly uncollected: readonly Environment[];
  /** All environments that the token can see. */
  readonly visible: readonly Environment[];
  /** Listed entries without a usable id. */
  readonly unreadable: number;
}

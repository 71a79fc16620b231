import type { Item, Property } from "./n8n.ts";
import type { ObservedTransport } from "./request-helper-transport.ts";
import type { CoreHost } from "./run-core.ts";
import { FailedRun } from "./failures.ts";

/** What an operation gets for one input item, or for all of them. */
export interface OperationRun {
  readonly host: CoreHost & { readonly transport: ObservedTransport };
  /** Server, Token ID and Token Key by their labels. */
  readonly instance: Readonly<Record<string, string>>;
  /**
   * What was entered in a property of the operation; undefined when the operation has no such property.
   *
   * @param of - index of the input item; default: `item`
   */
  readonly parameter: (name: string, of?: number) => unknown;
  /** Index of the input item; of the first one, if the operation takes all of them. */
  readonly item: number;
  /** How many input items there are. */
  readonly items: number;
}

/** One entry of the list Operation. */
export interface Operation {
  /** As workflows store it. */
  readonly value: string;
  /** As the screen shows it. */
  readonly name: string;
  readonly description: string;
  readonly properties: readonly Property[];
  /** What it offers among the options, beside `TIMEOUT`. */
  readonly options?: readonly Property[];
  /** Names of the outputs, when there are several. */
  readonly outputs?: readonly string[];
  /** Whether one run takes all input items. */
  readonly takesAll?: true;
  /**
   * Runs it for one input item, or for all of them.
   *
   * @returns the items for each output
   * @throws FailedRun when the run failed
   */
  run(run: OperationRun): Promise<Item[][]>;
}

const LONGEST_S = 86_400;

/** Options that every operation has. */
export const TIMEOUT: Property = {
  displayName: "Timeout",
  name: "timeout",
  type: "number",
  default: 300,
  typeOptions: { minValue: 10, maxValue: LONGEST_S },
  description:
    "Seconds after which a run stops. An operation with a checkpoint then returns what it has, and the next run goes on from there.",
};

/**
 * @param seconds - the value of `TIMEOUT`; undefined when it was not added
 * @throws FailedRun for what is no such time
 */
export function timeoutMs(seconds: unknown): number {
  const given = Number(seconds ?? TIMEOUT.default);
  if (given > 0 && given <= LONGEST_S) return given * 1_000;
  throw new FailedRun(
    `${TIMEOUT.displayName} is not a number of seconds between 1 and ${LONGEST_S}. Correct it among the options.`,
  );
}

import type { Tenant, TenantOptions } from "../../sandbox/tenant/index.ts";
import type { ResultStatus } from "../../src/runtime/protocol.ts";
import type { Poll, PollOptions, ProcessHost } from "./host.ts";

/** Where a row happens. */
export interface Stage {
  tenant: Tenant;
  host: ProcessHost;
  /** The first pair of the tenant: the place of faults that hit one. */
  environmentId: string;
  findingType: string;
}

/** One fault: what the tenant is, what goes wrong, and what the run under it must say. */
export interface FaultRow {
  /** As the table names it. */
  fault: string;
  /** Default: two environments, three finding types, twelve findings each, in pages of five. */
  tenant?: TenantOptions;
  /** Polls before the fault; default none. */
  before?: number;
  /** Lets the fault happen. */
  begin?(stage: Stage): void | Promise<void>;
  /** In what the poll under the fault differs from others. */
  under?(stage: Stage): PollOptions;
  /** Undoes what clearing faults, limits and clocks does not. */
  end?(stage: Stage): void | Promise<void>;
  /** In what the other polls differ. */
  clean?(stage: Stage): PollOptions;
  /**
   * The fault is the service's own way of saying that there is nothing: no client can tell it from the truth. The run
   * must say what it was told.
   */
  saysNothingIsThere?: boolean;
  expected: {
    status: ResultStatus;
    /** Findings that the run under the fault delivers. */
    delivered: number;
    /** What the message must say. */
    says: RegExp;
  };
}

export interface RowOutcome {
  row: FaultRow;
  under: Poll;
  /** Findings missing after the run under the fault, and after the clean run. */
  missing: { under: number; clean: number };
  clean: Poll;
  /** Findings stored more than once. */
  repeated: number;
  /** Length of the state in the end, as JSON. */
  stateCharacters: number;
  /** What the run under the fault told people: the same in every run of the row. */
  told: string;
}

/** A run that is called completed although it has left something out, unless nobody could know and the run says so. */
export function isFalseSuccess({ row, under, missing }: RowOutcome): boolean {
  return under.status === "completed" && missing.under > 0 && row.saysNothingIsThere !== true;
}

/** One pair in many pages, read one after the other: what hits which request does not depend on timing. */
export const onePair: TenantOptions = {
  dataset: { environments: 1, findingTypes: 1, findingsPerPair: 30 },
  maxPageSize: 6,
};

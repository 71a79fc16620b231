import type { Fault, FaultEffect, Tenant, TenantOptions } from "../../sandbox/tenant/index.ts";
import type { ResultStatus } from "../../src/runtime/protocol.ts";
import type { Poll, PollOptions, TestHost } from "../support/host.ts";

/** Where a row happens. */
export interface Stage {
  tenant: Tenant;
  host: TestHost;
  /** The first stream of the tenant: the place of faults that hit one. */
  environmentId: string;
  findingType: string;
}

/** Which requests an effect hits. */
export type Place = (stage: Stage) => Omit<Fault, "effect">;

/** One fault: what the tenant is, what goes wrong, and what the run under it must say. */
export interface FaultRow {
  /** As the table names it. */
  fault: string;
  /** Default: two environments, three finding types, twelve findings each, in pages of five. */
  tenant?: TenantOptions;
  /** Polls before the fault; default none. */
  before?: number;
  /** What happens to requests. */
  effect?: FaultEffect;
  /** Which requests; default all. */
  at?: Place;
  /** Whatever else goes wrong. */
  begin?(stage: Stage): void | Promise<void>;
  /** In what the poll under the fault differs from others. */
  under?(stage: Stage): PollOptions;
  /** Undoes what clearing faults, limits and clocks does not. */
  end?(stage: Stage): void | Promise<void>;
  /** In what the other polls differ. */
  clean?(stage: Stage): PollOptions;
  /**
   * The fault looks like the service's own response that there is nothing, so no client can detect it. The run
   * must report what the service said.
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
  /** The message of the run under the fault, without parts that differ from run to run. */
  told: string;
}

/** A run that is called completed although it has left something out, unless nobody could know and the run says so. */
export function isFalseSuccess({ row, under, missing }: RowOutcome): boolean {
  return under.status === "completed" && missing.under > 0 && row.saysNothingIsThere !== true;
}

/** One stream in many pages, read one after the other: what hits which request does not depend on timing. */
export const oneStream: TenantOptions = {
  dataset: { environments: 1, findingTypes: 1, findingsPerPair: 30 },
  maxPageSize: 6,
};

/** The row with each stream on one page, which takes fewer requests: for faults that have nothing to do with pages. */
export function unpaged(row: FaultRow): FaultRow {
  return { ...row, tenant: { maxPageSize: 1000, ...row.tenant } };
}

export const environments: Place = () => ({ path: "available-domains" });
/** Finding types of the first environment. */
export const findingTypes: Place = ({ environmentId }) => ({ path: `${environmentId}/available-types` });
/** Pages of the first stream. */
export const pages: Place = ({ environmentId, findingType }) => ({
  path: `${environmentId}/details`,
  query: { finding: findingType },
});
export const firstPage: Place = (stage) => ({ ...pages(stage), query: { ...pages(stage).query, skip: "0" } });
/** All pages of the first stream but its first one. */
export const laterPages: Place = (stage) => ({ ...pages(stage), query: { ...pages(stage).query, skip: /^[1-9]/ } });

/** A document of the first finding type. */
export function document(kind: string): Place {
  return ({ findingType }) => ({ path: `${findingType}/${kind}` });
}

/**
 * What a person must read when a part of the tenant could not be read: which part, that the next run retries it, and why.
 *
 * @param what - an environment, or an environment and a finding type; default: the first stream
 */
export function incomplete(reason: RegExp, what = /UNIFORM-0001\.TEST \/ \w+/): RegExp {
  return new RegExp(`^Incomplete: ${what.source}\\. The next run retries it\\. ${reason.source}`);
}

/** What a person must read when alerts were delivered without all of their texts. */
export function noDescription(reason: RegExp): RegExp {
  const what = /Could not load the description of \w+\. Its alerts have no description, or only part of it\. /;
  return new RegExp(what.source + reason.source);
}

/** The first of the requests only. */
export function once(place: Place): Place {
  return (stage) => ({ ...place(stage), times: 1 });
}

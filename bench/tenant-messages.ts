import type { TenantOptions } from "../sandbox/tenant/index.ts";

/** What the tenant's process can be set to; all of it survives the way between processes. */
export interface TenantSettings extends Pick<TenantOptions, "dataset" | "latencyMs" | "rateLimit" | "analysisStatus"> {
  /** false: the tenant does not offer sparklines (404); default true. */
  sparkline?: boolean;
  /** Findings have UUIDs instead of numbers for ids; default false. */
  textIds?: boolean;
  /** Each finding has a principal of its own; default false. */
  ownPrincipals?: boolean;
}

export interface NamedObject {
  objectId: string;
  name: string;
}

/** The tenant's process says this first. */
export interface TenantAddress {
  url: string;
  tokenId: string;
  tokenKey: string;
  /** Users of the first environment, as many as it has up to ten, and one group that the first of them has a path to. */
  users: NamedObject[];
  group: NamedObject;
}

/** What the tenant saw since the lap before. */
export interface Lap {
  requests: number;
  connections: number;
  /** Bytes that the client received, headers included. */
  receivedBytes: number;
  /** Requests that were answered 429. */
  refused: number;
  /** Epoch milliseconds, with fractions, at which the first request had arrived; null without any. */
  firstRequestAt: number | null;
  /** Paths of the requests, in order of arrival. */
  paths: string[];
}

export type TenantCommand = "lap" | "close";

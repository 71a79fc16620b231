import type { Accounts } from "./accounts.ts";
import type { Answer } from "./answer.ts";
import type { SpokenDialect, TenantToken } from "./contract.ts";
import type { Datapipe } from "./datapipe.ts";
import type { Dataset } from "./dataset/dataset.ts";

/** The choices of a tenant that routes look at; see TenantOptions for what they mean. */
export interface Settings {
  dialect: SpokenDialect;
  defaultPageSize: number;
  maxPageSize: number;
  rejectLargeLimits: boolean;
  sortableColumns: readonly string[] | null;
  honourSorting: boolean;
  unsortedOrder: "id" | "scattered";
  honourFilters: boolean;
  documentFormat: "markdown" | "json";
}

/** An authenticated request on its way through a route. */
export interface Exchange {
  method: string;
  /** Decoded values of the route's placeholders. */
  parameters: Record<string, string>;
  query: URLSearchParams;
  /** null for a JWT. */
  token: TenantToken | null;
  data: Dataset;
  accounts: Accounts;
  datapipe: Datapipe;
  settings: Settings;
  /** The tenant's time, epoch milliseconds. */
  now: number;
}

export type Handler = (exchange: Exchange) => Answer;

export interface Route {
  method: "GET" | "DELETE";
  /** Segments that begin with a colon are placeholders. */
  path: string;
  handle: Handler;
}

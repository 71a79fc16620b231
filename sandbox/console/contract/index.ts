import type { EdgeKind } from "../../../src/investigation/edges/edge-kinds.ts";
import type {
  AlertFindings,
  AlertView,
  CaseChange,
  CaseFacets,
  CaseRow,
  CasesQuery,
  CaseView,
  CutsView,
  EventListRow,
  EventsQuery,
  EventView,
  GraphView,
  MetaTreeView,
  Trend,
  WidgetView,
} from "./cases.ts";
import type {
  BuiltPackage,
  Choices,
  ConnectorState,
  ConnectorView,
  InstanceView,
  Integration,
  PackageInspection,
  Removal,
  SettingsInput,
  TestOutcome,
} from "./packages.ts";
import type {
  ActionInput,
  LogLine,
  Page,
  PlaybookRunView,
  PlaybookView,
  RequestDetails,
  RunRow,
  RunsQuery,
  RunView,
  StartedRun,
} from "./runs.ts";
import type { TenantAnswer, TenantCommand, TenantFinding, TenantView } from "./tenant.ts";

export type * from "./cases.ts";
export type * from "./packages.ts";
export type * from "./runs.ts";
export type * from "./tenant.ts";

/** How far a newcomer has come; each step is true once it was done on this host. */
export interface Tour {
  installed: boolean;
  connected: boolean;
  polled: boolean;
  openedCase: boolean;
  drewPath: boolean;
}

/** A path that is worth drawing, by the object ids of its ends. */
export interface TourPath {
  caseId: number;
  start: string;
  end: string;
}

export interface Overview {
  tour: Tour;
  /** Whether a simulated tenant can be controlled. */
  simulated: boolean;
  /** How far the clock of the host is ahead of this machine's, in milliseconds. */
  aheadMs: number;
  /** Address and token of the simulated tenant, to fill in a form with one click. Never those of a real tenant. */
  suggestedInstance: { Server: string; "Token ID": string; "Token Key": string } | null;
  counts: { openCases: number; cases: number; alerts: number; events: number; runningRuns: number };
  integrations: { identifier: string; name: string; version: string }[];
}

/**
 * Every error of the API. The message says what happened and what to do. 400, 404 and 409 are about the request, 502 about
 * the tenant that was asked; with 500, only the host's log has the details.
 */
export interface Problem {
  /** What happened and what to do. */
  message: string;
  /** The label of the parameter that is wrong. */
  parameter?: string;
}

interface Route {
  /** Parameters in the path. */
  path?: Record<string, string>;
  query?: object;
  body?: unknown;
  answer: unknown;
}

/**
 * What the server offers below `/api`, for the server and the browser alike. Every time is in epoch milliseconds.
 *
 * Every request carries `Authorization: Bearer <token>`. The page finds the token behind the # of the printed URL
 * (`#token=…`), takes it out of the address and keeps it in `localStorage`, so that a new tab has it too. A cookie would go
 * to every other server on the loopback address, whatever its port; storage belongs to this host and port alone, and
 * the token ends with the process. A body is `application/json`, that of a package `application/zip`. An answer that
 * is not 2xx is a {@link Problem}; 401 asks for the URL that is printed now.
 */
export interface Api {
  "GET /overview": { answer: Overview };
  "GET /tour/path": { answer: TourPath | null };
  "POST /tour": { body: { done: keyof Tour }; answer: Tour };

  "GET /packages": { answer: { built: BuiltPackage[]; integrations: Integration[] } };
  /** The body is a zip, or the name of a built one as `?built=`. */
  "POST /packages/inspect": { query: { built?: string }; body: Blob | null; answer: PackageInspection };
  /** With the SHA-256 of the package that was inspected, no other one is installed. */
  "POST /packages": { query: { built?: string; sha256?: string }; body: Blob | null; answer: Integration };
  "POST /integrations/:identifier/use": {
    path: { identifier: string };
    body: { packageId: string };
    answer: Integration;
  };
  "GET /integrations/:identifier/removal": { path: { identifier: string }; answer: Removal };
  "DELETE /integrations/:identifier": { path: { identifier: string }; answer: Removal };

  "GET /instances": { answer: InstanceView[] };
  "POST /instances": { body: SettingsInput; answer: InstanceView };
  "PUT /instances/:id": { path: { id: string }; body: SettingsInput; answer: InstanceView };
  "DELETE /instances/:id": { path: { id: string }; answer: null };
  /** Runs Ping to its end. */
  "POST /instances/:id/test": { path: { id: string }; body: null; answer: TestOutcome };
  "GET /instances/:id/choices": { path: { id: string }; answer: Choices };
  /** What a kind of relationship allows, and how it is abused, noticed and removed; null for one that has no public page. */
  "GET /relationships/:kind": { path: { kind: string }; answer: EdgeKind | null };
  "GET /instances/:id/meta-tree": { path: { id: string }; query: { environment: string }; answer: MetaTreeView };

  "GET /connectors": { answer: ConnectorView[] };
  "POST /connectors": { body: SettingsInput; answer: ConnectorView };
  "PUT /connectors/:id": { path: { id: string }; body: SettingsInput; answer: ConnectorView };
  "DELETE /connectors/:id": { path: { id: string }; answer: null };
  "PUT /connectors/:id/enabled": { path: { id: string }; body: { enabled: boolean }; answer: ConnectorView };
  "POST /connectors/:id/run": { path: { id: string }; body: { test: boolean }; answer: StartedRun };
  "GET /connectors/:id/state": { path: { id: string }; answer: ConnectorState };
  "DELETE /connectors/:id/state": { path: { id: string }; answer: null };
  "GET /connectors/:id/choices": { path: { id: string }; answer: Choices };

  "GET /runs": { query: RunsQuery; answer: Page<RunRow> };
  "GET /runs/:id": { path: { id: string }; answer: RunView };
  "GET /runs/:id/log": { path: { id: string }; query: { level?: string; cursor?: string }; answer: Page<LogLine> };
  /** Both sides of a request of a run, by its place in the list. */
  "GET /runs/:id/requests/:position": { path: { id: string; position: string }; answer: RequestDetails };
  "POST /runs/:id/stop": { path: { id: string }; body: null; answer: null };
  "POST /runs/:id/rerun": { path: { id: string }; body: null; answer: StartedRun };
  /** The widget of an action's result; null when its package has none. */
  "GET /runs/:id/widget": { path: { id: string }; query: { theme: "light" | "dark" }; answer: WidgetView | null };
  /** The paths of a Does Path Exist, one graph a pair; empty for other runs. */
  "GET /runs/:id/graph": { path: { id: string }; answer: { title: string; graph: GraphView }[] };
  "POST /actions": { body: ActionInput; answer: StartedRun };

  "GET /cases": { query: CasesQuery; answer: Page<CaseRow> };
  "GET /cases/facets": { answer: CaseFacets };
  "GET /cases/:id": { path: { id: string }; answer: CaseView };
  "PATCH /cases/:id": { path: { id: string }; body: CaseChange; answer: CaseView };
  "POST /cases/:id/comments": { path: { id: string }; body: { text: string }; answer: CaseView };
  "GET /cases/:id/events": { path: { id: string }; query: EventsQuery; answer: Page<EventListRow> };
  /** Of one alert, or else of the worst one that has a finding with two ends; null for a case without alerts. */
  "GET /cases/:id/findings": { path: { id: string }; query: { alertKey?: number }; answer: AlertFindings | null };
  /** Where to cut the findings of the case's alerts, or all that the tenant has in their environment now. */
  "GET /cases/:id/cuts": { path: { id: string }; query: { of: "case" | "environment" }; answer: CutsView };
  "GET /cases/:id/trends": { path: { id: string }; answer: Trend[] };
  "GET /alerts/:key": { path: { key: string }; answer: AlertView };
  /** Closes or reopens an alert. */
  "PUT /alerts/:key/status": { path: { key: string }; body: { status: "open" | "closed" }; answer: CaseView };
  "GET /alerts/:key/events/:position": { path: { key: string; position: string }; answer: EventView };

  "GET /playbooks": { answer: PlaybookView[] };
  "PUT /playbooks/:name/enabled": { path: { name: string }; body: { enabled: boolean }; answer: PlaybookView };
  "POST /playbooks/:name/runs": { path: { name: string }; body: { alertKey: number }; answer: PlaybookRunView };
  "GET /playbook-runs/:id": { path: { id: string }; answer: PlaybookRunView };

  /** Simulated tenants only; 404 with another one. */
  "GET /tenant": { answer: TenantView };
  "GET /tenant/findings": { query: { environmentId: string; findingType: string }; answer: TenantFinding[] };
  "POST /tenant": { body: TenantCommand; answer: TenantAnswer };
}

/**
 * Live events of `GET /api/live`: server-sent events, read with `fetch` because an `EventSource` sends no token. Each
 * says what has changed; the page asks for what it shows, and asks anew after every reconnection.
 */
export type LiveEvent =
  | { type: "run"; run: RunRow }
  | { type: "progress"; runId: string; done: number; total: number; label: string }
  | { type: "log"; runId: string; line: LogLine }
  | { type: "case"; caseId: number }
  | { type: "connector"; id: string }
  | { type: "playbook_run"; run: PlaybookRunView }
  | { type: "packages" }
  | { type: "instances" }
  | { type: "playbooks" }
  | { type: "tenant" };

export type Endpoint = keyof Api;
export type AnswerOf<E extends Endpoint> = Api[E]["answer"];
export type BodyOf<E extends Endpoint> = Api[E] extends { body: infer B } ? B : undefined;
export type QueryOf<E extends Endpoint> = Api[E] extends { query: infer Q } ? Q : undefined;
export type PathOf<E extends Endpoint> = Api[E] extends { path: infer P } ? P : undefined;
/** Fails to compile when an entry of {@link Api} is not a route. */
export type CheckedApi<A extends Record<Endpoint, Route> = Api> = A;

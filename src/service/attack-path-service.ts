import type { ServiceError } from "./errors/errors.ts";
import type { AnalysisStatus } from "./resources/analysis.records.ts";
import type { ClientTask } from "./resources/client-tasks.records.ts";
import type { DocumentKind } from "./resources/documents.records.ts";
import type {
  AzureEntity,
  AzureEntityType,
  DirectoryEntity,
  DirectoryRoute,
  RelatedPage,
} from "./resources/entities.records.ts";
import type { Environment } from "./resources/environments.records.ts";
import type { Finding, SparklinePoint } from "./resources/findings.records.ts";
import type { MetaTreeGraph } from "./resources/graph.records.ts";
import type { SearchPage } from "./resources/objects.records.ts";
import type { PathGraph } from "./resources/paths.records.ts";
import type { InvalidField } from "./responses/nullables.ts";
import type { SamlProvider, User } from "./resources/sso.records.ts";

/** The environments that the credentials can see. */
export interface EnvironmentList {
  environments: Environment[];
  /** Entries without a usable id. Nothing can be asked about them. */
  unreadable: number;
  /** Why the service did not list as many as it counts; absent when the list is complete. */
  incomplete?: ServiceError;
}

/** The finding types that an environment has findings of. */
export interface FindingTypeList {
  types: string[];
  /** Entries that are not names: other values than text, empty text, text that is not valid Unicode. */
  unreadable: number;
  /** As in `EnvironmentList`. */
  incomplete?: ServiceError;
}

export interface FindingsQuery {
  environmentId: string;
  findingType: string;
  /** RFC 3339 instant in UTC (`Z`), inclusive. */
  createdFrom?: string;
  /**
   * Continue after the finding at position `skip - 1`, which had the identity `after`, in the `order` of the page that had it; default:
   * the first one.
   */
  resume?: { skip: number; after: string; order?: number };
  /** Each finding once. Otherwise a read that starts over gives findings again, see `pages`. */
  once?: boolean;
}

/** A value of the wrong type that was removed from a record. The record itself is delivered. */
export interface InvalidValue extends InvalidField {
  /** Position of the record in the list, from 0. */
  readonly position: number;
}

export interface FindingsPage {
  findings: Finding[];
  invalidValues: InvalidValue[];
  /** Number of findings that fit the query when this page was read; null when the service does not say. */
  total: number | null;
  /** Position of the first finding of this page. A page may start at 0 again, see `pages`. */
  skip: number;
  /** Whether the list has changed before this page since the read began, so that some of it may have been passed over. */
  isMoved: boolean;
  /** Whether the service accepted the order by `created_at`. */
  inOrder: boolean;
  /** Which of the orders and filters that are tried one after the other the service accepted, from 0: positions count in it. */
  order: number;
}

/** A part of a list. */
export interface PageQuery {
  skip: number;
  limit: number;
}

export interface SearchQuery {
  text: string;
  /** Kinds of objects; all without it. */
  types?: readonly string[];
}

export interface PathQuery {
  /**
   * Follow only relationships that give control (default: false). Others, such as GetChanges or Enroll, give none by themselves
   * (https://bloodhound.specterops.io/resources/edges/traversable-edges). A service that does not know the parameter
   * `only_traversable` follows all of them.
   */
  readonly onlyTraversable?: boolean;
}

/**
 * A request that a poll can do without. Its failure stands for itself: it is not retried, and neither a 429 nor rejected
 * credentials end the run; after one of those, further requests of this kind fail without being sent.
 */
export interface OptionalRequest {
  /** Ends the request, whether it waits for its turn or is on its way. It rejects with an AbortedError. */
  readonly signal?: AbortSignal;
  /** Called when it is the request's turn, which the rate limit may put off. */
  readonly onSent?: () => void;
  /** Treats the request like any other, for callers that want the response itself. Default: false. */
  readonly required?: boolean;
}

/** Every method rejects with a ServiceError. */
export interface AttackPathService {
  /** The tenant's address as it is used: scheme, host, port if unusual, path prefix if any; no trailing slash. */
  readonly origin: string;
  /** Whether any HTTP response has arrived yet, whatever its status. */
  readonly responded: boolean;
  /**
   * The name of the dialect that the tenant has accepted; null as long as it has accepted none. Set it before the first
   * request to what was read here in an earlier run: otherwise the first requests go one by one, and a wrong guess costs
   * one more. A name that means nothing is ignored. With a bearer token, only documents differ between the dialects, so the
   * first document shows which one is spoken.
   */
  dialect: string | null;
  /**
   * How many requests are sent in a second at most. It follows a lower limit that the service announces. It can be lowered;
   * a higher number changes nothing.
   */
  requestsPerSecond: number;
  /** How many requests were sent so far, repeated ones included. */
  readonly requestsSent: number;
  /** For how long requests have waited for the rate limit, in milliseconds. */
  readonly heldBackMs: number;
  /** How many of the requests got a response that was no 429. */
  readonly requestsServed: number;
  /**
   * Epoch milliseconds of the service's clock now: the `Date` header of the newest response and the time that has passed
   * since. Null as long as no response had a readable one.
   */
  time(): number | null;
  readonly analysis: {
    /**
     * What the service says about its analysis (`datapipe/status`; BloodHound API, docs/openapi.json). Null when the tenant
     * does not offer the operation: it answers 400, 403 or 404, or without the time. Such a status without the service's own
     * error wrapper rejects, unless the response is required: a gateway may have answered.
     */
    status(options?: OptionalRequest): Promise<AnalysisStatus | null>;
  };
  readonly environments: {
    list(options?: Pick<OptionalRequest, "signal">): Promise<EnvironmentList>;
  };
  readonly findings: {
    /**
     * How many findings the first page of a list asks for at most: fewer than 1,000 where the service or the line took too long
     * for more. Set it to what was read here in an earlier run, so that this one need not find out again.
     */
    pageSize: number;
    types(environmentId: string): Promise<FindingTypeList>;
    /**
     * All findings of the query, page by page, by creation time if the service sorts. When the list changes while it is
     * read, the read starts over at position 0. Findings that were seen come again, unless the query says `once`. Recognise them by
     * `findingIdentity`. Rejects with a ProtocolError when the list is not complete, after everything that arrived.
     */
    pages(query: FindingsQuery): AsyncGenerator<FindingsPage>;
    /** The finding of the query with the greatest id and how many there are, in one small request; null when the service rejects the question. */
    newest(
      query: FindingsQuery,
      options?: OptionalRequest,
    ): Promise<{ total: number | null; newest: Finding | null } | null>;
    /**
     * Whether the list of the query goes on after its first `length` findings: a service may count fewer than it has, or those of
     * a page. Rejects when the service does not answer for that position.
     */
    hasMore(query: FindingsQuery, length: number): Promise<boolean>;
    /** One point per analysis of the environment; without `from` the service gives the last 30 days. */
    sparkline(
      query: {
        environmentId: string;
        findingType: string;
        from?: string;
        to?: string;
      },
      options?: OptionalRequest,
    ): Promise<SparklinePoint[]>;
  };
  readonly documents: {
    /** A text about a finding type, often markdown; empty when the service has none. */
    read(findingType: string, kind: DocumentKind, options?: OptionalRequest): Promise<string>;
  };
  readonly objects: {
    /** One page of objects by name or object id, exact matches first; without `limit` the service gives 10. See `searchPages`. */
    search(query: SearchQuery & Partial<PageQuery>): Promise<SearchPage>;
  };
  readonly paths: {
    /**
     * All shortest paths from one object to another, merged into one graph. Null only when the service says that there is
     * none: by a 404 in its own error wrapper with that message, which some services also send for an unknown object. Everything
     * else is an error, such as NotFoundError, or ServerError with the message "not found", for an unknown object.
     */
    shortest(startId: string, endId: string, query?: PathQuery): Promise<PathGraph | null>;
  };
  readonly entities: {
    /** A directory object by kind and id. `counts` costs the service time. */
    directory(route: DirectoryRoute, objectId: string, options: { counts: boolean }): Promise<DirectoryEntity>;
    /** A cloud object by kind and id. */
    azure(type: AzureEntityType, objectId: string, options: { counts: boolean }): Promise<AzureEntity>;
    /** One page of the objects related to a directory object, such as `memberships`; without `limit` the service gives 10. */
    directoryRelated(
      route: DirectoryRoute,
      objectId: string,
      list: string,
      page?: Partial<PageQuery>,
    ): Promise<RelatedPage>;
    /** One page of the objects related to a cloud object, such as `group-members`; without `limit` the service gives 100. */
    azureRelated(
      type: AzureEntityType,
      objectId: string,
      list: string,
      page?: Partial<PageQuery>,
    ): Promise<RelatedPage>;
  };
  readonly graph: {
    /** Meta nodes of an environment and their edges. Without `assetGroupTagId`, those of Tier Zero. */
    metaTree(environmentId: string, options?: { nodeId?: number; assetGroupTagId?: number }): Promise<MetaTreeGraph>;
  };
  readonly sso: {
    listSamlProviders(): Promise<SamlProvider[]>;
    /** Deprecated: the service will remove it. Use `deleteSsoProvider`. Resolves as that does. */
    deleteSamlProvider(id: number | string): Promise<User[] | null>;
    /** Resolves with the affected users; null when the service does not name them. */
    deleteSsoProvider(id: number | string): Promise<User[] | null>;
  };
  readonly clientTasks: {
    /** The data collection that the calling client currently runs. */
    current(): Promise<ClientTask>;
  };
  readonly tokens: {
    /**
     * When an API token was made, RFC 3339. Null when the service does not tell, or not these credentials: users who are no administrators see their own tokens only
     * (BloodHound API, ListAuthTokens).
     */
    createdAt(id: string): Promise<string | null>;
  };
  /** Closes the connections. */
  close(): void;
}

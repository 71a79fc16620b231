import type { AzureEntity, AzureEntityType, AzureRelatedPage } from "./records/azure-entities.ts";
import type { ClientTask } from "./records/client-tasks.ts";
import type { DirectoryEntity, DirectoryRoute } from "./records/directory-entities.ts";
import type { DocumentKind } from "./records/documents.ts";
import type { Environment } from "./records/environments.ts";
import type { Finding, SparklinePoint } from "./records/findings.ts";
import type { MetaTreeGraph } from "./records/meta-tree.ts";
import type { PathGraph } from "./records/path-graph.ts";
import type { SamlProvider } from "./records/saml.ts";
import type { SearchResult } from "./records/search.ts";
import type { User } from "./records/users.ts";

export interface FindingsQuery {
  environmentId: string;
  findingType: string;
  /** RFC 3339 instant in UTC (`Z`), inclusive: findings created before it are left out. */
  createdFrom?: string;
  /** Continue behind the finding at position `skip - 1`, which had the identity `after`. */
  resume?: { skip: number; after: string };
}

/** A value of the wrong type that was taken out of a record; the record itself is delivered. */
export interface Misfit {
  /** Place of the record in the list, from 0. */
  position: number;
  /** JSON pointer inside the record; empty when the record was no object at all. */
  path: string;
  problem: string;
}

export interface FindingsPage {
  findings: Finding[];
  misfits: Misfit[];
  /** Number of findings that fit the query, as this page's answer gives it; null when the service does not say. */
  total: number | null;
  /** Position of the first finding of this page. A page may start at 0 again, see `pages`. */
  skip: number;
}

/** Every method rejects with a ServiceError. */
export interface AttackPathService {
  /** The tenant's address as it is used: scheme, host, port if unusual, path prefix if any; no trailing slash. */
  readonly origin: string;
  readonly environments: {
    /** The environments that the credentials can see. */
    list(): Promise<Environment[]>;
  };
  readonly findings: {
    /** Finding types that the environment has findings of. */
    types(environmentId: string): Promise<string[]>;
    /**
     * All findings of the query by creation time, page by page. When findings are deleted while they are read, the
     * reading starts over at position 0: what was seen comes again and is told by `findingIdentity`.
     */
    pages(query: FindingsQuery): AsyncGenerator<FindingsPage>;
    /** The finding of the query with the greatest id and how many there are, in one small request. */
    probe(query: FindingsQuery): Promise<{ total: number | null; lastAdded: Finding | null }>;
    /** One point per analysis of the environment; without `from` the service gives the last 30 days. */
    sparkline(query: {
      environmentId: string;
      findingType: string;
      from?: string;
      to?: string;
    }): Promise<SparklinePoint[]>;
  };
  readonly documents: {
    /** A text about a finding type, often markdown; empty when the service has none. */
    read(findingType: string, kind: DocumentKind): Promise<string>;
  };
  readonly objects: {
    /** Objects by name or object id, exact matches first; without `limit` the service gives 10. */
    search(query: { text: string; types?: string[]; skip?: number; limit?: number }): Promise<SearchResult[]>;
  };
  readonly paths: {
    /**
     * All shortest paths from one object to another, merged into one graph. Null only when the service says so: a 404 in
     * its own error wrapper whose message says that there is no path. Whatever else happens is an error; an unknown
     * object is one too (NotFoundError, or ServerError with the message "not found").
     */
    shortest(startId: string, endId: string): Promise<PathGraph | null>;
  };
  readonly entities: {
    /** A directory object by kind and id; `counts` costs the service time. */
    directory(route: DirectoryRoute, objectId: string, options: { counts: boolean }): Promise<DirectoryEntity>;
    /** A cloud object by kind and id. */
    azure(type: AzureEntityType, objectId: string, options: { counts: boolean }): Promise<AzureEntity>;
    /** One page of the objects related to a cloud object, such as `group-members`; without `limit` the service gives 100. */
    azureRelated(
      type: AzureEntityType,
      objectId: string,
      related: string,
      options?: { skip?: number; limit?: number },
    ): Promise<AzureRelatedPage>;
  };
  readonly graph: {
    /** Meta nodes of an environment and their edges; without a zone the one of Tier Zero. */
    metaTree(environmentId: string, options?: { nodeId?: number; assetGroupTagId?: number }): Promise<MetaTreeGraph>;
  };
  readonly sso: {
    listSamlProviders(): Promise<SamlProvider[]>;
    /** Deprecated: the service will remove it; use `deleteSsoProvider`. Gives the users that were affected. */
    deleteSamlProvider(id: number | string): Promise<User[]>;
    /** Gives the users that were affected, as far as the service names them. */
    deleteSsoProvider(id: number | string): Promise<User[]>;
  };
  readonly clientTasks: {
    /** The data collection that the calling client runs now. */
    current(): Promise<ClientTask>;
  };
  /** Ends the idle connections. */
  close(): void;
}

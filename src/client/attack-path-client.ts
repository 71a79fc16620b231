import type { Stream } from "../ingestion/scope.ts";
import type { AttackPathService, PageQuery, PathQuery } from "../service/attack-path-service.ts";
import type { AnalysisStatus } from "../service/resources/analysis.records.ts";
import type { ClientTask } from "../service/resources/client-tasks.records.ts";
import type { DocumentKind } from "../service/resources/documents.records.ts";
import type {
  AzureEntity,
  AzureEntityType,
  DirectoryEntity,
  DirectoryRoute,
  RelatedObject,
  RelatedPage,
} from "../service/resources/entities.records.ts";
import { isNamed, relatedPages } from "../service/resources/entities.ts";
import type { Environment } from "../service/resources/environments.records.ts";
import { isEmpty } from "../service/resources/findings.ts";
import type { MetaTreeGraph } from "../service/resources/graph.records.ts";
import { searchPages } from "../service/resources/objects.ts";
import type { SearchResult } from "../service/resources/objects.records.ts";
import type { PathGraph } from "../service/resources/paths.records.ts";
import { NOT_REQUESTED } from "../service/resources/requested-findings.ts";
import { BadRequestError } from "../service/errors/errors.ts";
import { parseInstant } from "../service/instants.ts";
import { wasCreatedSince } from "../ingestion/time.ts";
import { unreadable } from "../service/responses/response-body.ts";
import type { SamlProvider, User } from "../service/resources/sso.records.ts";
import { Calls } from "./calls.ts";
import { Lists } from "./incomplete.ts";
import type { AllFindingsRequest, CallOptions, ClientOptions, FindingsRequest, TrendRequest } from "./options.ts";
import {
  type ClientEnvironment,
  clientEnvironment,
  type ClientFinding,
  clientFinding,
  type ClientTrendPoint,
  clientTrendPoint,
} from "./records.ts";

/** Lists are read page by page, as far as they are asked for. */
type List<T> = AsyncGenerator<T, void, undefined>;

/**
 * A client of one tenant of the Attack Path Analysis Service. It sends nothing before the first call. Requests are signed,
 * kept below the rate limit, and repeated when a connection is lost. An HTTPS_PROXY or NO_PROXY in the environment applies,
 * and NODE_EXTRA_CA_CERTS; certificates are always verified.
 *
 * Every method rejects with a {@link ServiceError}, whose `code` says what happened and whose `requestId` the support of the
 * service can look up.
 */
export class AttackPathClient {
  readonly #calls: Calls;

  /**
   * @throws ServerAddressError when `server` is not the address of a tenant
   * @throws ConfigurationError when the credentials cannot be sent
   */
  constructor(options: ClientOptions) {
    this.#calls = new Calls(options);
  }

  /** What the service says about its analysis; null when the tenant does not offer the operation. */
  analysisStatus(call?: CallOptions): Promise<AnalysisStatus | null> {
    return this.#calls.ask(call, (service) => service.analysis.status({ required: true }));
  }

  /** The environments that the credentials can see: directory domains and cloud tenants. */
  environments(call?: CallOptions): List<ClientEnvironment> {
    return this.#calls.list(call, async function* (service) {
      for await (const environment of environmentsOf(service)) yield clientEnvironment(environment);
    });
  }

  /** The finding types that an environment has findings of. */
  findingTypes(environmentId: string, call?: CallOptions): List<string> {
    return this.#calls.list(call, (service) => typesOf(service, environmentId));
  }

  /** The findings of one type in one environment, each once, deleted ones included. */
  findings({ environmentId, ...request }: FindingsRequest, call?: CallOptions): List<ClientFinding> {
    const environment = { id: environmentId };
    return this.#calls.list(call, (service) => findingsOf(service, { environment, ...request }));
  }

  /**
   * The findings of all types in all environments that have data, one list after the other; deleted ones included.
   *
   * A list that cannot be read does not affect the others: an {@link IncompleteError} at the end names it. Errors that would meet
   * every list end the iteration at once, such as a rate limit.
   */
  allFindings(request: AllFindingsRequest = {}, call?: CallOptions): List<ClientFinding> {
    return this.#calls.list(call, async function* (service) {
      // Before anything is listed: within the list of a type, the error would be one of many.
      sinceOf(request);
      const lists = new Lists();
      const environments = lists.read({ environmentId: null, findingType: null }, environmentsOf(service));
      for await (const environment of environments) {
        if (environment.collected === false) continue;
        const environmentId = environment.id;
        const types = lists.read({ environmentId, findingType: null }, typesOf(service, environmentId));
        for await (const findingType of types) {
          const findings = findingsOf(service, { environment, findingType, ...request });
          yield* lists.read({ environmentId, findingType }, findings);
        }
      }
      lists.end();
    });
  }

  /** How a finding type of an environment develops, one point per analysis. */
  trend(request: TrendRequest, call?: CallOptions): List<ClientTrendPoint> {
    return this.#calls.list(call, async function* (service) {
      yield* (await service.findings.sparkline(request, { required: true })).map(clientTrendPoint);
    });
  }

  /** A text about a finding type, often markdown; empty when the service has none. */
  document(findingType: string, kind: DocumentKind, call?: CallOptions): Promise<string> {
    return this.#calls.ask(call, (service) => service.documents.read(findingType, kind, { required: true }));
  }

  /** Objects whose name holds the text or whose object id is the text, exact matches first; `types` are kinds, such as User. */
  search(
    text: string,
    { types, ...call }: CallOptions & { readonly types?: readonly string[] } = {},
  ): List<SearchResult> {
    return this.#calls.list(call, async function* (service) {
      for await (const page of searchPages(service.objects, { text, ...(types && { types }) })) yield* page;
    });
  }

  /**
   * All shortest paths from one object to another, merged into one graph; null when the service answers "path not found". A service
   * may answer the same for an unknown object. Others answer with an error: NotFoundError, or ServerError with the message "not found".
   * `onlyTraversable` (default: true) leaves out relationships that give no control by themselves, such as GetChanges.
   */
  shortestPath(
    startId: string,
    endId: string,
    { onlyTraversable = true, ...call }: CallOptions & PathQuery = {},
  ): Promise<PathGraph | null> {
    return this.#calls.ask(call, (service) => service.paths.shortest(startId, endId, { onlyTraversable }));
  }

  /** A directory object; `counts` (default: false) costs the service time. */
  directoryObject(
    route: DirectoryRoute,
    objectId: string,
    { counts = false, ...call }: CallOptions & { readonly counts?: boolean } = {},
  ): Promise<DirectoryEntity> {
    return this.#calls.ask(call, (service) => service.entities.directory(route, objectId, { counts }));
  }

  /** A cloud object; `counts` (default: false) costs the service time. */
  cloudObject(
    type: AzureEntityType,
    objectId: string,
    { counts = false, ...call }: CallOptions & { readonly counts?: boolean } = {},
  ): Promise<AzureEntity> {
    return this.#calls.ask(call, (service) => service.entities.azure(type, objectId, { counts }));
  }

  /** The objects of a list of a directory object, such as `memberships` of a user. */
  relatedToDirectoryObject(
    route: DirectoryRoute,
    objectId: string,
    list: string,
    call?: CallOptions,
  ): List<RelatedObject> {
    return this.#calls.list(call, (service) =>
      everyNamed((page) => service.entities.directoryRelated(route, objectId, list, page)),
    );
  }

  /** The objects of a list of a cloud object, such as `group-members` of a group. */
  relatedToCloudObject(type: AzureEntityType, objectId: string, list: string, call?: CallOptions): List<RelatedObject> {
    return this.#calls.list(call, (service) =>
      everyNamed((page) => service.entities.azureRelated(type, objectId, list, page)),
    );
  }

  /** Meta nodes of an environment and their edges; without `assetGroupTagId`, those of Tier Zero. */
  metaTree(
    environmentId: string,
    { signal, ...query }: CallOptions & { readonly nodeId?: number; readonly assetGroupTagId?: number } = {},
  ): Promise<MetaTreeGraph> {
    return this.#calls.ask(signal && { signal }, (service) => service.graph.metaTree(environmentId, query));
  }

  /** The SAML providers of the tenant. */
  samlProviders(call?: CallOptions): List<SamlProvider> {
    return this.#calls.list(call, async function* (service) {
      yield* await service.sso.listSamlProviders();
    });
  }

  /**
   * Resolves with the users who used the provider; null when the service does not name them.
   *
   * @deprecated The service will remove the operation. Use `deleteSsoProvider`.
   */
  deleteSamlProvider(id: number | string, call?: CallOptions): Promise<User[] | null> {
    return this.#calls.ask(call, (service) => service.sso.deleteSamlProvider(id));
  }

  /** Resolves with the users who used the provider; null when the service does not name them. */
  deleteSsoProvider(id: number | string, call?: CallOptions): Promise<User[] | null> {
    return this.#calls.ask(call, (service) => service.sso.deleteSsoProvider(id));
  }

  /** The data collection that the calling client runs. */
  currentTask(call?: CallOptions): Promise<ClientTask> {
    return this.#calls.ask(call, (service) => service.clientTasks.current());
  }

  /** Ends the calls that are in progress, and closes the connections. */
  close(): void {
    this.#calls.close();
  }
}

async function* environmentsOf(service: AttackPathService): List<Environment> {
  const listed = await service.environments.list();
  yield* listed.environments;
  if (listed.incomplete !== undefined) throw listed.incomplete;
  if (listed.unreadable > 0) throw unreadable(listed.unreadable, "without a usable id");
}

async function* typesOf(service: AttackPathService, environmentId: string): List<string> {
  const listed = await service.findings.types(environmentId);
  yield* listed.types;
  if (listed.incomplete !== undefined) throw listed.incomplete;
  if (listed.unreadable > 0) throw unreadable(listed.unreadable, "that are not names");
}

/**
 * Epoch milliseconds; undefined for all findings.
 *
 * @throws BadRequestError when the text is no instant: a service would be asked again without a filter that it rejects
 */
function sinceOf({ createdFrom }: AllFindingsRequest): number | undefined {
  if (createdFrom === undefined) return undefined;
  const instant = parseInstant(createdFrom);
  if (instant !== null && /z$/i.test(createdFrom)) return instant;
  const message = `createdFrom is not an RFC 3339 instant in UTC, such as 2026-01-31T00:00:00Z. No request was sent. Correct it.`;
  throw new BadRequestError(message, { whoActs: "analyst" });
}

async function* findingsOf(
  service: AttackPathService,
  { environment, findingType, ...filter }: Stream & AllFindingsRequest,
): List<ClientFinding> {
  const stream = { environment, findingType };
  const since = sinceOf(filter);
  const request = { environmentId: environment.id, findingType, ...filter };
  let empty = 0;
  for await (const { findings } of service.findings.pages({ ...request, once: true })) {
    for (const finding of findings) {
      if (isEmpty(finding)) empty += 1;
      else if (wasCreatedSince(finding, since)) yield clientFinding(finding, stream, service.origin);
    }
  }
  if (empty > 0) throw unreadable(empty, NOT_REQUESTED);
}

async function* everyNamed(
  ask: (page: PageQuery) => Promise<RelatedPage>,
): AsyncGenerator<RelatedObject, void, undefined> {
  let nameless = 0;
  for await (const { items } of relatedPages(ask)) {
    const named = items.filter(isNamed);
    nameless += items.length - named.length;
    yield* named;
  }
  if (nameless > 0) throw unreadable(nameless, "without an object id or a name");
}

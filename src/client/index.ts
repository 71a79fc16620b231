export { AttackPathClient } from "./attack-path-client.ts";
export { IncompleteError, type MissingList } from "./incomplete.ts";
export type {
  AllFindingsRequest,
  CallOptions,
  ClientCredentials,
  ClientOptions,
  FindingsRequest,
  TrendRequest,
} from "./options.ts";
export { orderedPath, type PathHop, type PathObject } from "./ordered-path.ts";
export type { ClientEnvironment, ClientFinding, ClientTrendPoint } from "./records.ts";
export type { Logger } from "../logger.ts";
export {
  AbortedError,
  BadRequestError,
  ClockSkewError,
  ConfigurationError,
  ForbiddenError,
  NetworkError,
  NotFoundError,
  ProtocolError,
  ProxySettingError,
  RateLimitedError,
  RedirectError,
  SchemeRejectedError,
  ServerAddressError,
  ServerError,
  ServiceError,
  type ServiceErrorCode,
  TimeoutError,
  TlsError,
  UnauthenticatedError,
  type WhoActs,
} from "../service/errors/errors.ts";
export type { AnalysisStatus } from "../service/resources/analysis.records.ts";
export type { ClientTask } from "../service/resources/client-tasks.records.ts";
export { type DocumentKind, documentKinds } from "../service/resources/documents.records.ts";
export {
  type AzureEntity,
  type AzureEntityType,
  type AzureKind,
  azureTypes,
  type DirectoryEntity,
  type DirectoryKind,
  type DirectoryRoute,
  directoryRoutes,
  type EntityCounts,
  type RelatedObject,
} from "../service/resources/entities.records.ts";
export type { Environment } from "../service/resources/environments.records.ts";
export type { Finding, SparklinePoint } from "../service/resources/findings.records.ts";
export {
  isMetaTreeEdge,
  type MetaTreeEdge,
  type MetaTreeGraph,
  type MetaTreeNode,
} from "../service/resources/graph.records.ts";
export type { SearchResult } from "../service/resources/objects.records.ts";
export type { PathEdge, PathGraph, PathNode } from "../service/resources/paths.records.ts";
export type { SamlProvider, User } from "../service/resources/sso.records.ts";

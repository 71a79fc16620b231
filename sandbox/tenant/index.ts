export type {
  AnalysisOptions,
  FindingOverrides,
  RateLimitOptions,
  Tenant,
  TenantControl,
  SpokenDialect,
  TenantJwt,
  TenantOptions,
  TenantToken,
} from "./contract.ts";
export { buildDataset, type DatasetOptions } from "./dataset/uniform.ts";
export type { DocumentKind } from "./dataset/catalogue.ts";
export { Dataset } from "./dataset/dataset.ts";
export type { Fault, FaultEffect, FaultRequest } from "./faults.ts";
export { busiestWindow, mostInFlight, type RequestRecord } from "./records.ts";
export { selfSignedCertificate, type CertificateOptions } from "./self-signed.ts";
export { startTenant } from "./tenant.ts";
export type * from "./wire.ts";
export { farthestInto } from "./graph/farthest.ts";

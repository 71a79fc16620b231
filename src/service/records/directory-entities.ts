import type { Entity } from "./entities.ts";

/**
 * Route of each directory kind, below /api/v2/. The letter case of the kinds is the service's own (BloodHound,
 * packages/go/graphschema/ad/ad.go).
 */
export const directoryRoutes = {
  User: "users",
  Computer: "computers",
  Group: "groups",
  Domain: "domains",
  GPO: "gpos",
  OU: "ous",
  Container: "containers",
  AIACA: "aiacas",
  RootCA: "rootcas",
  EnterpriseCA: "enterprisecas",
  NTAuthStore: "ntauthstores",
  CertTemplate: "certtemplates",
  IssuancePolicy: "issuancepolicies",
  Base: "base",
} as const;

export type DirectoryKind = keyof typeof directoryRoutes;
export type DirectoryRoute = (typeof directoryRoutes)[DirectoryKind];

/** A directory object; its counts depend on the kind, such as `adminRights` and `groupMembership` of a user. */
export type DirectoryEntity = Entity;

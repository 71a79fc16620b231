/** The data of a directory or cloud entity read (BloodHound API, docs/openapi.json). Counts stand beside these fields. */
export interface WireEntity {
  kind?: string;
  kinds?: string[];
  isTierZero?: boolean;
  isOwnedObject?: boolean;
  props?: Record<string, unknown>;
  /** The same as `props`: the service document and the server use different words. */
  properties?: Record<string, unknown>;
}

/** Counts under the service's own names. What the service could not count is absent; null in a group for what is no number. */
export interface EntityCounts {
  [name: string]: number | null | EntityCounts;
}

/** What the service knows about one object. */
export interface Entity {
  kind?: string;
  kinds?: string[];
  isTierZero?: boolean;
  isOwnedObject?: boolean;
  /** Free-form, under the service's own names. */
  properties: Record<string, unknown>;
  /** Empty when none were asked for. */
  counts: EntityCounts;
}

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

/** `entity_type` of each cloud kind (BloodHound, cmd/api/src/api/v2/azure.go). */
export const azureTypes = {
  AZBase: "az-base",
  AZUser: "users",
  AZGroup: "groups",
  AZTenant: "tenants",
  AZManagementGroup: "management-groups",
  AZSubscription: "subscriptions",
  AZResourceGroup: "resource-groups",
  AZVM: "vms",
  AZDevice: "devices",
  AZKeyVault: "key-vaults",
  AZServicePrincipal: "service-principals",
  AZRole: "roles",
  AZApp: "applications",
  AZManagedCluster: "managed-clusters",
  AZContainerRegistry: "container-registries",
  AZWebApp: "web-apps",
  AZLogicApp: "logic-apps",
  AZAutomationAccount: "automation-accounts",
  AZFunctionApp: "function-apps",
  AZVMScaleSet: "vm-scale-sets",
  AZFederatedIdentityCredential: "federated-identity-credentials",
} as const;

export type AzureKind = keyof typeof azureTypes;
export type AzureEntityType = (typeof azureTypes)[AzureKind];

/** A cloud object; some counts are nested, such as `descendents.descendent_counts` of a tenant. */
export type AzureEntity = Entity;

/**
 * An item of a list of related objects. Directory lists give `objectID`, `name` and `label`; cloud lists give the kind and
 * `properties` (BloodHound API, docs/openapi.json) or `props` (BloodHound, cmd/api/src/api/v2/azure.go).
 */
export interface WireRelated {
  objectID?: string;
  name?: string;
  /** Kind of the object. */
  label?: string;
  kind?: string;
  properties?: Record<string, unknown>;
  props?: Record<string, unknown>;
}

/** An object that is related to another one. */
export interface RelatedObject {
  objectId: string | null;
  name: string | null;
  kind: string | null;
}

export interface RelatedPage {
  /** As the service listed them; one may have neither an id nor a name. */
  items: RelatedObject[];
  /** Number of related objects in all; null when the service does not say. */
  total: number | null;
}

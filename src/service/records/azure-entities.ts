import type { Entity } from "./entities.ts";

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

/** An item of a related-entities list (BloodHound, cmd/api/src/api/v2/azure.go). */
export interface WireAzureRelated {
  objectID?: string;
  name?: string;
  /** Kind of the object. */
  label?: string;
}
export type AzureRelated = WireAzureRelated;

export interface AzureRelatedPage {
  items: AzureRelated[];
  /** Number of related objects in all; null when the service does not say. */
  total: number | null;
}

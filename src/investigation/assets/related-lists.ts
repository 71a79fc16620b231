import type { AzureKind, DirectoryKind } from "../../service/resources/entities.records.ts";

/** A list of related objects. */
export interface RelatedList {
  /** The service's name: the last part of the path for directory objects, `related_entity_type` for cloud objects. */
  list: string;
  /** Where the entity has the length of the list. */
  count: readonly string[];
}

const controllers = [of("controllers", "controllers")];
const inboundControl = of("inbound-control", "inbound_object_control");
const executedBy = of("inbound-execution-privileges", "inboundExecutionPrivileges");
const adminRights = of("admin-rights", "adminRights");

/**
 * The lists that say most about an object of each kind, at most four: its groups, its members, who administers it and what
 * it administers; for kinds without these who controls it (BloodHound, cmd/api/src/api/registration/v2.go and
 * cmd/api/src/api/v2/azure.go).
 */
export const relatedLists: Readonly<Record<DirectoryKind | AzureKind, readonly RelatedList[]>> = {
  User: [of("memberships", "groupMembership"), adminRights],
  Computer: [of("group-membership", "groupMembership"), of("admin-users", "adminUsers"), adminRights],
  Group: [of("members", "members"), of("memberships", "membership"), adminRights],
  OU: [of("users", "users"), of("groups", "groups"), of("computers", "computers")],
  Domain: controllers,
  GPO: controllers,
  Container: controllers,
  AIACA: controllers,
  RootCA: controllers,
  EnterpriseCA: controllers,
  NTAuthStore: controllers,
  CertTemplate: controllers,
  IssuancePolicy: controllers,
  Base: controllers,
  AZBase: [inboundControl],
  AZUser: [
    of("group-membership", "group_membership"),
    of("roles", "roles"),
    of("outbound-execution-privileges", "execution_privileges"),
  ],
  AZGroup: [of("group-members", "group_members"), of("group-membership", "group_membership"), of("roles", "roles")],
  AZTenant: [
    inboundControl,
    holds("users", "AZUser"),
    holds("groups", "AZGroup"),
    holds("subscriptions", "AZSubscription"),
  ],
  AZManagementGroup: [inboundControl, holds("subscriptions", "AZSubscription"), holds("virtual-machines", "AZVM")],
  AZSubscription: [
    inboundControl,
    holds("resource-groups", "AZResourceGroup"),
    holds("virtual-machines", "AZVM"),
    holds("key-vaults", "AZKeyVault"),
  ],
  AZResourceGroup: [inboundControl, holds("virtual-machines", "AZVM"), holds("key-vaults", "AZKeyVault")],
  AZVM: [executedBy, inboundControl],
  AZDevice: [executedBy, inboundControl],
  AZKeyVault: [of("all-readers", "Readers", "AllReaders"), inboundControl],
  AZServicePrincipal: [of("roles", "roles"), inboundControl],
  AZRole: [of("active-assignments", "active_assignments"), of("pim-assignments", "pim_assignments")],
  AZApp: [inboundControl],
  AZManagedCluster: [inboundControl],
  AZContainerRegistry: [inboundControl],
  AZWebApp: [inboundControl],
  AZLogicApp: [inboundControl],
  AZAutomationAccount: [inboundControl],
  AZFunctionApp: [inboundControl],
  AZVMScaleSet: [inboundControl],
  AZFederatedIdentityCredential: [],
};

function of(list: string, ...count: string[]): RelatedList {
  return { list, count };
}

/** What a container of the cloud holds. */
function holds(what: string, kind: string): RelatedList {
  return of(`descendent-${what}`, "descendents", "descendent_counts", kind);
}

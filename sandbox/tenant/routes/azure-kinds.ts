import type { Graph } from "../graph/graph.ts";
import { APP_ROLES, CLOUD_CONTROL, CLOUD_EXECUTION } from "../graph/kinds.ts";
import {
  contents,
  direct,
  groupsOf,
  inbound,
  membersOf,
  ofKind,
  only,
  outbound,
  type Relation,
} from "../graph/relations.ts";

type Counts = (graph: Graph, objectId: string) => Record<string, unknown>;

interface AzureKind {
  kind: string;
  counts: Counts;
}

const roles = outbound(new Set(["AZHasRole"]));
const controlled = outbound(CLOUD_CONTROL);
const controllers = inbound(CLOUD_CONTROL);
const executes = outbound(CLOUD_EXECUTION);
const executors = inbound(CLOUD_EXECUTION);
const keyReaders = inbound(new Set(["AZGetKeys"]));
const certificateReaders = inbound(new Set(["AZGetCertificates"]));
const secretReaders = inbound(new Set(["AZGetSecrets"]));
const allReaders = inbound(new Set(["AZGetKeys", "AZGetCertificates", "AZGetSecrets"]));
const assigned = inbound(new Set(["AZHasRole"]));
const eligible = inbound(new Set(["AZRoleEligible"]));
const approvers = inbound(new Set(["AZRoleApprover"]));
const appRolesOut = direct("outgoing", ...APP_ROLES);
const appRolesIn = direct("incoming", ...APP_ROLES);

/** Counts as sizes of relations. */
const sizes =
  (relations: Record<string, Relation>): Counts =>
  (graph, objectId) =>
    Object.fromEntries(Object.entries(relations).map(([name, relation]) => [name, relation(graph, objectId).size]));

const inboundOnly = sizes({ inbound_object_control: controllers });

/** Kinds of what the object contains, each with their number. */
const withDescendents: Counts = (graph, objectId) => {
  const counts: Record<string, number> = {};
  for (const kind of Object.values(DESCENDENTS)) {
    counts[kind] = only(contents, ofKind(kind))(graph, objectId).size;
  }
  return { descendents: { descendent_counts: counts }, ...inboundOnly(graph, objectId) };
};

const withReaders: Counts = (graph, objectId) => ({
  Readers: sizes({
    KeyReaders: keyReaders,
    CertificateReaders: certificateReaders,
    SecretReaders: secretReaders,
    AllReaders: allReaders,
  })(graph, objectId),
  ...inboundOnly(graph, objectId),
});

/** `descendent-…` relations and the kinds that they list. */
const DESCENDENTS: Record<string, string> = {
  users: "AZUser",
  groups: "AZGroup",
  "management-groups": "AZManagementGroup",
  subscriptions: "AZSubscription",
  "resource-groups": "AZResourceGroup",
  "virtual-machines": "AZVM",
  "managed-clusters": "AZManagedCluster",
  "web-apps": "AZWebApp",
  "logic-apps": "AZLogicApp",
  "automation-accounts": "AZAutomationAccount",
  "key-vaults": "AZKeyVault",
  applications: "AZApp",
  "service-principals": "AZServicePrincipal",
  devices: "AZDevice",
  "vm-scale-sets": "AZVMScaleSet",
  "container-registries": "AZContainerRegistry",
  "function-apps": "AZFunctionApp",
};

/** Kinds and counts by entity type (BloodHound API, cmd/api/src/api/v2/azure.go, packages/go/analysis/azure/model.go). */
export const AZURE_KINDS: Record<string, AzureKind> = {
  "az-base": { kind: "AZBase", counts: sizes({ outbound_object_control: controlled }) },
  users: {
    kind: "AZUser",
    counts: sizes({
      group_membership: groupsOf,
      roles,
      execution_privileges: executes,
      outbound_object_control: controlled,
      inbound_object_control: controllers,
    }),
  },
  groups: {
    kind: "AZGroup",
    counts: sizes({
      roles,
      group_members: membersOf,
      group_membership: groupsOf,
      outbound_object_control: controlled,
      inbound_object_control: controllers,
    }),
  },
  tenants: { kind: "AZTenant", counts: withDescendents },
  "management-groups": { kind: "AZManagementGroup", counts: withDescendents },
  subscriptions: { kind: "AZSubscription", counts: withDescendents },
  "resource-groups": { kind: "AZResourceGroup", counts: withDescendents },
  vms: { kind: "AZVM", counts: sizes({ inboundExecutionPrivileges: executors, inbound_object_control: controllers }) },
  devices: {
    kind: "AZDevice",
    counts: sizes({ inboundExecutionPrivileges: executors, inbound_object_control: controllers }),
  },
  "key-vaults": { kind: "AZKeyVault", counts: withReaders },
  "service-principals": {
    kind: "AZServicePrincipal",
    counts: sizes({
      roles,
      inbound_object_control: controllers,
      outbound_object_control: controlled,
      "inbound-abusable-app-role-assignments": appRolesIn,
      "outbound-abusable-app-role-assignments": appRolesOut,
    }),
  },
  roles: { kind: "AZRole", counts: sizes({ active_assignments: assigned, pim_assignments: eligible, approvers }) },
  applications: { kind: "AZApp", counts: inboundOnly },
  "managed-clusters": { kind: "AZManagedCluster", counts: inboundOnly },
  "container-registries": { kind: "AZContainerRegistry", counts: inboundOnly },
  "web-apps": { kind: "AZWebApp", counts: inboundOnly },
  "logic-apps": { kind: "AZLogicApp", counts: inboundOnly },
  "automation-accounts": { kind: "AZAutomationAccount", counts: inboundOnly },
  "function-apps": { kind: "AZFunctionApp", counts: inboundOnly },
  "vm-scale-sets": { kind: "AZVMScaleSet", counts: inboundOnly },
  "federated-identity-credentials": { kind: "AZFederatedIdentityCredential", counts: () => ({}) },
};

const descendentRelations = Object.entries(DESCENDENTS).map(([name, kind]): [string, Relation] => [
  `descendent-${name}`,
  only(contents, ofKind(kind)),
]);

/** Relations by `related_entity_type`. */
export const RELATED: ReadonlyMap<string, Relation> = new Map<string, Relation>([
  ...descendentRelations,
  ["active-assignments", assigned],
  ["pim-assignments", eligible],
  ["role-approvers", approvers],
  ["group-membership", groupsOf],
  ["group-members", membersOf],
  ["roles", roles],
  ["all-readers", allReaders],
  ["certificate-readers", certificateReaders],
  ["secret-readers", secretReaders],
  ["key-readers", keyReaders],
  ["inbound-execution-privileges", executors],
  ["outbound-execution-privileges", executes],
  ["inbound-abusable-app-role-assignments", appRolesIn],
  ["outbound-abusable-app-role-assignments", appRolesOut],
  ["inbound-control", controllers],
  ["outbound-control", controlled],
  ["federated-identity-credentials", only(contents, ofKind("AZFederatedIdentityCredential"))],
]);

import type { AzureKind, DirectoryKind, EntityCounts } from "../../service/resources/entities.records.ts";

/** Counts of an asset; null where the service documents a count and did not return it. */
export interface Counts {
  [name: string]: number | null | Counts;
}

const both = ["inbound_object_control", "outbound_object_control"];
const descendents = ["descendents.descendent_counts.", "inbound_object_control"];
const executionAndControl = ["inboundExecutionPrivileges", "inbound_object_control"];
const inbound = ["inbound_object_control"];
const readers = ["KeyReaders", "CertificateReaders", "SecretReaders", "AllReaders"].map((name) => `Readers.${name}`);
const abusable = ["inbound-abusable-app-role-assignments", "outbound-abusable-app-role-assignments"];
const pki = ["controllers", "pki-hierarchy"];
const rights = ["adminRights", "rdpRights", "backupRights", "dcomRights", "psRemoteRights"];
const control = ["controllables", "controllers"];

/**
 * The counts that the service gives for each kind; a dot leads into a nested group, one at the end into
 * counts by kind (BloodHound, cmd/api/src/api/v2/ad_entity.go and packages/go/analysis/azure/model.go).
 */
const promised: Readonly<Record<DirectoryKind | AzureKind, readonly string[]>> = {
  User: ["sessions", "groupMembership", ...rights, "sqlAdmin", "constrainedDelegation", ...control, "gpos"],
  Computer: [
    ...["sessions", "adminUsers", "rdpUsers", "dcomUsers", "psRemoteUsers", "backupOperators", "sqlAdminUsers"],
    ...["constrainedUsers", "groupMembership", ...rights, "constrainedPrivs", ...control, "gpos"],
  ],
  Group: ["sessions", "members", "membership", ...rights, ...control],
  Domain: [
    ...["users", "groups", "computers", "ous", "gpos", "foreignUsers", "foreignGroups", "foreignGPOControllers"],
    ...["foreignAdmins", "inboundTrusts", "outboundTrusts", "controllers", "linkedgpos", "dcsyncers"],
    "adcs-escalations",
  ],
  GPO: ["ous", "computers", "users", "controllers", "tierzero"],
  OU: ["gpos", "users", "groups", "computers"],
  Container: ["controllers"],
  AIACA: pki,
  RootCA: pki,
  EnterpriseCA: [...pki, "published-templates"],
  NTAuthStore: ["controllers", "trusted-cas"],
  CertTemplate: ["controllers", "published-to-cas"],
  IssuancePolicy: ["controllers", "linkedTemplates"],
  Base: ["controllables"],
  AZBase: ["outbound_object_control"],
  AZUser: ["group_membership", "roles", "execution_privileges", ...both],
  AZGroup: ["roles", "group_members", "group_membership", ...both],
  AZTenant: descendents,
  AZManagementGroup: descendents,
  AZSubscription: descendents,
  AZResourceGroup: descendents,
  AZVM: executionAndControl,
  AZDevice: executionAndControl,
  AZKeyVault: [...readers, ...inbound],
  AZServicePrincipal: ["roles", ...both, ...abusable],
  AZRole: ["active_assignments", "pim_assignments", "approvers"],
  AZApp: inbound,
  AZManagedCluster: inbound,
  AZContainerRegistry: inbound,
  AZWebApp: inbound,
  AZLogicApp: inbound,
  AZAutomationAccount: inbound,
  AZFunctionApp: inbound,
  AZVMScaleSet: inbound,
  AZFederatedIdentityCredential: [],
};

/** The returned counts. One that is not a whole number, or is documented and missing or a group, is null, never 0. */
export function completeCounts(kind: DirectoryKind | AzureKind, counts: EntityCounts): Counts {
  const complete = wholeNumbers(counts);
  for (const path of promised[kind]) promise(complete, path.split("."));
  return complete;
}

function wholeNumbers(counts: EntityCounts): Counts {
  const entries = Object.entries(counts).map(([name, count]): [string, number | null | Counts] => {
    if (count === null || typeof count === "number") return [name, isCount(count) ? count : null];
    return [name, wholeNumbers(count)];
  });
  return Object.fromEntries(entries);
}

function isCount(count: number | null): boolean {
  return Number.isSafeInteger(count) && Number(count) >= 0;
}

function promise(counts: Counts, [name = "", ...rest]: readonly string[]): void {
  const given = counts[name];
  const group = typeof given === "object" ? given : null;
  if (rest.length === 0) counts[name] = typeof given === "number" ? given : null;
  else if (rest[0] === "") counts[name] = group;
  else promise((counts[name] = group ?? {}), rest);
}

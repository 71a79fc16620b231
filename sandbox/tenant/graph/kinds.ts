/** Edge kinds that give one object control over another (BloodHound, packages/go/graphschema/ad and azure). */
export const DIRECTORY_CONTROL = new Set([
  "GenericAll",
  "GenericWrite",
  "WriteDacl",
  "WriteOwner",
  "Owns",
  "AddMember",
  "AddSelf",
  "ForceChangePassword",
  "AllExtendedRights",
  "AddKeyCredentialLink",
  "DCSync",
  "ManageCA",
  "ManageCertificates",
]);

export const CLOUD_CONTROL = new Set([
  "AZOwns",
  "AZAddSecret",
  "AZAddMembers",
  "AZResetPassword",
  "AZGlobalAdmin",
  "AZPrivilegedRoleAdmin",
  "AZAppAdmin",
  "AZContributor",
  "AZUserAccessAdministrator",
  "AZKeyVaultContributor",
]);

/** App role assignments of a service principal that can be abused. */
export const APP_ROLES = new Set([
  "AZMGGrantAppRoles",
  "AZMGAddSecret",
  "AZMGAddOwner",
  "AZMGGroupMember_ReadWrite_All",
]);

/** Edges over which a machine can be run as. */
export const CLOUD_EXECUTION = new Set(["AZVMContributor", "AZVMAdminLogin", "AZAvereContributor", "AZExecuteCommand"]);

/** Edges that give no control by themselves (BloodHound, packages/cue/bh/ad/ad.cue and azure.cue, PathfindingRelationships). */
const NOT_TRAVERSABLE = new Set([
  "GetChanges",
  "GetChangesAll",
  "CrossForestTrust",
  "Enroll",
  "PublishedTo",
  "TrustedForNTAuth",
  "NTAuthStoreFor",
  "EnterpriseCAFor",
  "HostsCAService",
  "RootCAFor",
  "IssuedSignedBy",
  "OIDGroupLink",
  "ExtendedByPolicy",
  "AZRoleEligible",
  "AZRoleApprover",
  "AZMGGroupMember_ReadWrite_All",
  "ManageCA",
  "ManageCertificates",
]);

export function isTraversable(kind: string): boolean {
  return !NOT_TRAVERSABLE.has(kind);
}

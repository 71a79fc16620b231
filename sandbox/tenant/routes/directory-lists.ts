const rights = {
  "admin-rights": "adminRights",
  "rdp-rights": "rdpRights",
  "dcom-rights": "dcomRights",
  "ps-remote-rights": "psRemoteRights",
};
const control = { controllables: "controllables", controllers: "controllers" };
const controllers = { controllers: "controllers" };

/**
 * Lists of related objects by route, and the count that says how long each is (BloodHound API,
 * cmd/api/src/api/registration/v2.go). Objects of any kind have controllers at the base route, which are not counted there.
 */
export const DIRECTORY_LISTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  base: control,
  users: {
    sessions: "sessions",
    memberships: "groupMembership",
    ...rights,
    "sql-admin-rights": "sqlAdmin",
    "constrained-delegation-rights": "constrainedDelegation",
    ...control,
  },
  computers: {
    sessions: "sessions",
    "admin-users": "adminUsers",
    "rdp-users": "rdpUsers",
    "dcom-users": "dcomUsers",
    "ps-remote-users": "psRemoteUsers",
    "sql-admins": "sqlAdminUsers",
    "group-membership": "groupMembership",
    ...rights,
    "constrained-users": "constrainedUsers",
    "constrained-delegation-rights": "constrainedPrivs",
    ...control,
  },
  groups: { sessions: "sessions", members: "members", memberships: "membership", ...rights, ...control },
  domains: {
    users: "users",
    groups: "groups",
    computers: "computers",
    ous: "ous",
    gpos: "gpos",
    "foreign-users": "foreignUsers",
    "foreign-groups": "foreignGroups",
    "foreign-admins": "foreignAdmins",
    "foreign-gpo-controllers": "foreignGPOControllers",
    "inbound-trusts": "inboundTrusts",
    "outbound-trusts": "outboundTrusts",
    ...controllers,
    "dc-syncers": "dcsyncers",
    "linked-gpos": "linkedgpos",
  },
  gpos: { computers: "computers", users: "users", ...controllers, "tier-zero": "tierzero", ous: "ous" },
  ous: { gpos: "gpos", users: "users", groups: "groups", computers: "computers" },
  containers: controllers,
  aiacas: controllers,
  rootcas: controllers,
  enterprisecas: controllers,
  ntauthstores: controllers,
  certtemplates: controllers,
  issuancepolicies: { ...controllers, linkedtemplates: "linkedTemplates" },
};

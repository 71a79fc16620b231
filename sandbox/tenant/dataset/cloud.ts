import type { GraphNode } from "../graph/graph.ts";
import { addCloudObject, DEPARTMENTS, FIRST_NAMES, LAST_NAMES, type Site } from "./nodes.ts";
import { seededUuid, type Random } from "./random.ts";

const ROLES: [name: string, tierZero: boolean][] = [
  ["GLOBAL ADMINISTRATOR", true],
  ["PRIVILEGED ROLE ADMINISTRATOR", true],
  ["HELPDESK ADMINISTRATOR", false],
  ["APPLICATION ADMINISTRATOR", false],
  ["DIRECTORY READERS", false],
];
const APPS = ["HR PORTAL", "BACKUP SERVICE", "CI RUNNER", "MAIL RELAY", "INVENTORY SYNC", "EXPENSES"];
/** Kinds of resources in the resource groups, with the names of theirs. */
const RESOURCES: [kind: string, names: string[]][] = [
  ["AZVM", ["VM-WEB-01", "VM-JUMP-01", "VM-DB-01"]],
  ["AZKeyVault", ["KV-PROD", "KV-TEST"]],
  ["AZWebApp", ["WEB-SHOP"]],
  ["AZLogicApp", ["LOGIC-ONBOARDING"]],
  ["AZFunctionApp", ["FUNC-IMPORT"]],
  ["AZAutomationAccount", ["AUTO-PATCHING"]],
  ["AZManagedCluster", ["AKS-PROD"]],
  ["AZContainerRegistry", ["ACRPROD"]],
  ["AZVMScaleSet", ["VMSS-RENDER"]],
];

/** Adds an Entra tenant with its users, groups, roles, applications and Azure resources, and their relations. */
export function addCloudTenant(site: Site, random: Random, users: number): void {
  const add = (kind: string, name: string, props: Record<string, unknown> = {}): GraphNode =>
    addCloudObject(site, kind, seededUuid(random).toUpperCase(), `${name}@${site.domain}`, props);
  const tenant = addCloudObject(site, "AZTenant", site.environmentId, site.domain, { tierZero: true, collected: true });
  const names = new Set<string>();
  while (names.size < users) names.add(`${random.pick(FIRST_NAMES)}.${random.pick(LAST_NAMES)}`);
  const people = [...names].map((name, index) => add("AZUser", name, { tierZero: index < 3, enabled: true }));
  const groups = ["CLOUD ADMINS", ...DEPARTMENTS].map((name, index) => add("AZGroup", name, { tierZero: index === 0 }));
  const roles = ROLES.map(([name, tierZero]) => add("AZRole", name, { tierZero }));
  const apps = APPS.map((name, index) => add("AZApp", name, { tierZero: index < 2 }));
  const services = APPS.map((name, index) => add("AZServicePrincipal", name, { tierZero: index < 2 }));
  const parts: CloudParts = { site, tenant, people, groups, roles, apps, services, random };
  connectIdentities(parts);
  connectResources(parts, add);
}

interface CloudParts {
  site: Site;
  tenant: GraphNode;
  people: GraphNode[];
  groups: GraphNode[];
  roles: GraphNode[];
  apps: GraphNode[];
  services: GraphNode[];
  random: Random;
}

const connector =
  ({ site }: CloudParts) =>
  (from: GraphNode | undefined, kind: string, to: GraphNode | undefined): void => {
    if (from !== undefined && to !== undefined) site.graph.connect(from.objectId, kind, to.objectId);
  };

function connectIdentities(parts: CloudParts): void {
  const { tenant, people, groups, roles, apps, services, random } = parts;
  const connect = connector(parts);
  for (const child of [...people, ...groups, ...roles, ...apps, ...services]) connect(tenant, "AZContains", child);
  people.forEach((person, index) => {
    connect(person, "AZMemberOf", index < 3 ? groups[0] : random.pick(groups.slice(1)));
  });
  connect(groups[0], "AZHasRole", roles[0]);
  connect(people[0], "AZHasRole", roles[1]);
  connect(groups[1], "AZHasRole", roles[2]);
  connect(services[2], "AZHasRole", roles[3]);
  connect(groups[2], "AZHasRole", roles[4]);
  connect(people[4], "AZRoleEligible", roles[0]);
  connect(people[0], "AZRoleApprover", roles[0]);
  connect(roles[0], "AZGlobalAdmin", tenant);
  connect(roles[1], "AZPrivilegedRoleAdmin", tenant);
  apps.forEach((app, index) => {
    connect(app, "AZRunsAs", services[index]);
  });
  const weak = people.slice(5);
  for (const app of [...apps.slice(0, 2), ...services.slice(0, 2), ...apps]) connect(random.pick(weak), "AZOwns", app);
  for (const app of apps.slice(0, 2)) {
    connect(roles[3], "AZAddSecret", app);
    connect(random.pick(weak), "AZAddSecret", app);
  }
  for (const person of people.slice(0, 3)) connect(roles[2], "AZResetPassword", person);
  for (const person of random.sample(weak, 3)) connect(person, "AZAddMembers", groups[0]);
  connect(services[4], "AZMGGrantAppRoles", tenant);
  connect(services[2], "AZMGGrantAppRoles", tenant);
  connect(services[3], "AZMGAddSecret", services[0]);
}

function connectResources(
  parts: CloudParts,
  add: (kind: string, name: string, props?: Record<string, unknown>) => GraphNode,
): void {
  const { tenant, people, groups, apps, services, random } = parts;
  const connect = connector(parts);
  const management = add("AZManagementGroup", "ROOT MANAGEMENT GROUP", { tierZero: true });
  const subscription = add("AZSubscription", "PRODUCTION");
  const resourceGroups = ["RG-WEB", "RG-DATA"].map((name) => add("AZResourceGroup", name));
  connect(tenant, "AZContains", management);
  connect(management, "AZContains", subscription);
  for (const group of resourceGroups) connect(subscription, "AZContains", group);
  connect(people[6], "AZContributor", subscription);
  connect(people[0], "AZUserAccessAdministrator", management);
  const resources = RESOURCES.flatMap(([kind, names]) =>
    names.map((name) => add(kind, name, { tierZero: kind === "AZVM" && name === "VM-JUMP-01" })),
  );
  for (const resource of resources) {
    connect(random.pick(resourceGroups), "AZContains", resource);
    connect(
      random.pick(people.slice(5)),
      resource.kind === "AZKeyVault" ? "AZKeyVaultContributor" : "AZOwns",
      resource,
    );
  }
  const machines = resources.filter((resource) => resource.kind === "AZVM");
  connect(machines[1], "AZManagedIdentity", services[0]);
  connect(machines[0], "AZManagedIdentity", services[5]);
  for (const machine of machines) connect(random.pick(people.slice(5)), "AZVMContributor", machine);
  connect(random.pick(people.slice(5)), "AZVMContributor", machines[1]);
  connect(groups[3], "AZVMAdminLogin", machines[0]);
  for (const vault of resources.filter((resource) => resource.kind === "AZKeyVault")) {
    connect(random.pick(people), "AZGetSecrets", vault);
    connect(groups[1], "AZGetKeys", vault);
    connect(services[1], "AZGetCertificates", vault);
  }
  const device = add("AZDevice", "LAPTOP-042");
  connect(tenant, "AZContains", device);
  connect(people[7], "AZOwns", device);
  connect(people[2], "AZExecuteCommand", device);
  const credential = add("AZFederatedIdentityCredential", "CI RUNNER TRUST");
  connect(apps[2], "AZContains", credential);
}

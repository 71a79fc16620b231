import type { GraphNode } from "../graph/graph.ts";
import { addDirectoryObject, DEPARTMENTS, FIRST_NAMES, LAST_NAMES, type Site } from "./nodes.ts";
import { seededUuid, type Random } from "./random.ts";

export interface DomainPlan {
  name: string;
  sid: string;
  users: number;
  workstations: number;
  servers: number;
  /** What the ids of well-known groups begin with; default: the name. A second domain of one name needs another. */
  wellKnownPrefix?: string;
}

/** The objects of one domain, for the parts that add rights between them. */
export interface DirectoryDomain {
  site: Site;
  domain: GraphNode;
  groups: Record<string, GraphNode>;
  tierZeroUsers: GraphNode[];
  users: GraphNode[];
  serviceAccounts: GraphNode[];
  controllers: GraphNode[];
  servers: GraphNode[];
  workstations: GraphNode[];
  units: Record<string, GraphNode>;
  policies: GraphNode[];
}

const GROUPS: [name: string, rid: number | null, tierZero: boolean][] = [
  ["DOMAIN ADMINS", 512, true],
  ["ENTERPRISE ADMINS", 519, true],
  ["SCHEMA ADMINS", 518, true],
  ["DOMAIN CONTROLLERS", 516, true],
  ["DOMAIN USERS", 513, false],
  ["DOMAIN COMPUTERS", 515, false],
  ["ADMINISTRATORS", null, true],
  ["BACKUP OPERATORS", null, true],
  ["AUTHENTICATED USERS", null, false],
];
const WELL_KNOWN: Record<string, string> = {
  ADMINISTRATORS: "S-1-5-32-544",
  "BACKUP OPERATORS": "S-1-5-32-551",
  "AUTHENTICATED USERS": "S-1-5-11",
};
const OWN_GROUPS = ["HELP DESK", "SERVER ADMINS", "SQL ADMINS", "WORKSTATION ADMINS", "VPN USERS", "AUDITORS"];
const UNITS = ["DOMAIN CONTROLLERS", "TIER ZERO", "STAFF", "SERVICE ACCOUNTS", "SERVERS", "WORKSTATIONS"];
const POLICIES = [
  "DEFAULT DOMAIN POLICY",
  "DEFAULT DOMAIN CONTROLLERS POLICY",
  "SERVER BASELINE",
  "WORKSTATION BASELINE",
];
const SERVICES = ["SVC_SQL", "SVC_BACKUP", "SVC_WEB", "SVC_REPORT", "SVC_SCAN"];

/** Adds a domain with its users, groups, computers, units and policies, and the edges of its structure. */
export function addDomain(site: Site, plan: DomainPlan, random: Random): DirectoryDomain {
  const sid = ridCounter(plan.sid);
  const uuid = (): string => seededUuid(random).toUpperCase();
  const at = (name: string): string => `${name}@${plan.name}`;
  const domain = addDirectoryObject(site, "Domain", plan.sid, plan.name, {
    tierZero: true,
    collected: true,
    functionallevel: "2016",
  });
  const groups = addGroups(site, plan, sid);
  const units = Object.fromEntries(UNITS.map((name) => [name, addDirectoryObject(site, "OU", uuid(), at(name))]));
  const policies = POLICIES.map((name, index) =>
    addDirectoryObject(site, "GPO", uuid(), at(name), { tierZero: index < 2, gpcpath: `\\\\${plan.name}\\SYSVOL` }),
  );
  const people = { ...addUsers(site, plan, sid, random), ...addComputers(site, plan, sid) };
  const objects = { site, domain, groups, units, policies, ...people };
  connectStructure(objects, random, uuid());
  connectMembers(objects, random);
  return objects;
}

function ridCounter(domainSid: string): (rid?: number) => string {
  let next = 1103;
  return (rid) => `${domainSid}-${rid ?? next++}`;
}

function addGroups(site: Site, plan: DomainPlan, sid: (rid?: number) => string): Record<string, GraphNode> {
  const entry = (name: string, objectId: string, tierZero: boolean): [string, GraphNode] => [
    name,
    addDirectoryObject(site, "Group", objectId, `${name}@${plan.name}`, { tierZero, admincount: tierZero }),
  ];
  const wellKnown = GROUPS.map(([name, rid, tierZero]) =>
    entry(name, rid === null ? `${plan.wellKnownPrefix ?? plan.name}-${WELL_KNOWN[name] ?? ""}` : sid(rid), tierZero),
  );
  const own = [...OWN_GROUPS, ...DEPARTMENTS].map((name) => entry(name, sid(), false));
  return Object.fromEntries([...wellKnown, ...own]);
}

type People = Pick<DirectoryDomain, "tierZeroUsers" | "users" | "serviceAccounts">;

function addUsers(site: Site, plan: DomainPlan, sid: (rid?: number) => string, random: Random): People {
  const user = (name: string, objectId: string, props: Record<string, unknown>): GraphNode =>
    addDirectoryObject(site, "User", objectId, `${name}@${plan.name}`, {
      enabled: true,
      samaccountname: name,
      hasspn: false,
      dontreqpreauth: false,
      sensitive: false,
      pwdneverexpires: random.below(6) === 0,
      ...props,
    });
  const names = new Set<string>();
  while (names.size < plan.users) names.add(`${random.pick(FIRST_NAMES)}.${random.pick(LAST_NAMES)}`);
  const [first = "ADA.ABEL", second = "BEN.BERG", ...others] = names;
  return {
    tierZeroUsers: [
      user("ADMINISTRATOR", sid(500), { tierZero: true, admincount: true, description: "Built-in account" }),
      user("KRBTGT", sid(502), { tierZero: true, enabled: false, sensitive: true }),
      user(`T0.${first}`, sid(), { tierZero: true, admincount: true, sensitive: true }),
      user(`T0.${second}`, sid(), { tierZero: true, admincount: true }),
    ],
    users: [first, second, ...others].map((name, index) => user(name, sid(), { dontreqpreauth: index % 23 === 7 })),
    serviceAccounts: SERVICES.map((name) =>
      user(name, sid(), {
        hasspn: true,
        serviceprincipalnames: [`${name.slice(4)}/${plan.name}`],
        pwdneverexpires: true,
      }),
    ),
  };
}

type Machines = Pick<DirectoryDomain, "controllers" | "servers" | "workstations">;

function addComputers(site: Site, plan: DomainPlan, sid: (rid?: number) => string): Machines {
  const computers = (prefix: string, count: number, system: string, props: Record<string, unknown>): GraphNode[] =>
    Array.from({ length: count }, (_, index) => {
      const name = `${prefix}${String(index + 1).padStart(2, "0")}`;
      return addDirectoryObject(site, "Computer", sid(), `${name}.${plan.name}`, {
        enabled: true,
        operatingsystem: system,
        samaccountname: `${name}$`,
        unconstraineddelegation: false,
        haslaps: index % 3 !== 0,
        ...props,
      });
    });
  const servers = computers("SRV", plan.servers, "WINDOWS SERVER 2022", {});
  if (servers[0] !== undefined) servers[0].props.unconstraineddelegation = true;
  return {
    controllers: computers("DC", 2, "WINDOWS SERVER 2022", { tierZero: true, unconstraineddelegation: true }),
    servers,
    workstations: computers("WKS", plan.workstations, "WINDOWS 11 ENTERPRISE", {}),
  };
}

/** Which unit holds what, and which policy is linked where. */
function connectStructure(objects: DirectoryDomain, random: Random, containerId: string): void {
  const { site, domain, units, policies } = objects;
  const usersContainer = addDirectoryObject(site, "Container", containerId, `USERS@${domain.name}`);
  const contains = (container: GraphNode | undefined, children: readonly GraphNode[]): void => {
    for (const child of children) {
      if (container !== undefined) site.graph.connect(container.objectId, "Contains", child.objectId);
    }
  };
  contains(domain, [...Object.values(units), usersContainer]);
  contains(usersContainer, Object.values(objects.groups));
  contains(units["DOMAIN CONTROLLERS"], objects.controllers);
  contains(units["TIER ZERO"], objects.tierZeroUsers);
  contains(units.STAFF, objects.users);
  contains(units["SERVICE ACCOUNTS"], objects.serviceAccounts);
  contains(units.SERVERS, objects.servers);
  contains(units.WORKSTATIONS, objects.workstations);
  const targets = [domain, units["DOMAIN CONTROLLERS"], units.SERVERS, units.WORKSTATIONS];
  policies.forEach((policy, index) => {
    const target = targets[index] ?? random.pick(Object.values(units));
    site.graph.connect(policy.objectId, "GPLink", target.objectId);
  });
}

function connectMembers(objects: DirectoryDomain, random: Random): void {
  const { site, groups, tierZeroUsers, users } = objects;
  const join = (member: GraphNode | undefined, group: string): void => {
    const target = groups[group];
    if (member && target) site.graph.connect(member.objectId, "MemberOf", target.objectId);
  };
  [...tierZeroUsers, ...users, ...objects.serviceAccounts].forEach((user) => {
    join(user, "DOMAIN USERS");
  });
  [...objects.controllers, ...objects.servers, ...objects.workstations].forEach((computer) => {
    join(computer, "DOMAIN COMPUTERS");
  });
  objects.controllers.forEach((controller) => {
    join(controller, "DOMAIN CONTROLLERS");
  });
  tierZeroUsers
    .filter((user) => user.props.enabled === true)
    .forEach((user) => {
      join(user, "DOMAIN ADMINS");
    });
  join(tierZeroUsers[0], "ENTERPRISE ADMINS");
  join(tierZeroUsers[0], "SCHEMA ADMINS");
  join(groups["DOMAIN ADMINS"], "ADMINISTRATORS");
  join(groups["ENTERPRISE ADMINS"], "ADMINISTRATORS");
  join(groups["DOMAIN USERS"], "AUTHENTICATED USERS");
  join(groups["DOMAIN COMPUTERS"], "AUTHENTICATED USERS");
  join(groups["SQL ADMINS"], "SERVER ADMINS");
  users.forEach((user) => {
    join(user, random.pick(DEPARTMENTS));
  });
  OWN_GROUPS.forEach((group) => {
    random.sample(users, 2 + random.below(3)).forEach((user) => {
      join(user, group);
    });
  });
  join(objects.serviceAccounts[1], "BACKUP OPERATORS");
}

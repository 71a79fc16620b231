import type { GraphNode } from "../graph/graph.ts";
import type { DirectoryDomain } from "./directory.ts";
import type { Random } from "./random.ts";

type Connect = (from: GraphNode | undefined, kind: string, to: GraphNode | undefined) => void;

/** Adds the rights inside a domain: some belong there, some are the mistakes that findings are about. */
export function addRights(domain: DirectoryDomain, random: Random): void {
  const { graph } = domain.site;
  const connect: Connect = (from, kind, to) => {
    if (from !== undefined && to !== undefined) graph.connect(from.objectId, kind, to.objectId);
  };
  addExpectedRights(domain, random, connect);
  addMistakes(domain, random, connect);
  addSessions(domain, random, connect);
}

function addExpectedRights(domain: DirectoryDomain, random: Random, connect: Connect): void {
  const { groups, servers, workstations, controllers } = domain;
  for (const controller of controllers) connect(groups.ADMINISTRATORS, "AdminTo", controller);
  connect(groups.ADMINISTRATORS, "DCSync", domain.domain);
  connect(groups["DOMAIN ADMINS"], "GenericAll", domain.domain);
  connect(groups["ENTERPRISE ADMINS"], "GenericAll", domain.domain);
  connect(groups["DOMAIN CONTROLLERS"], "GetChanges", domain.domain);
  for (const computer of [...servers, ...workstations]) connect(groups["DOMAIN ADMINS"], "AdminTo", computer);
  for (const server of servers) connect(groups["SERVER ADMINS"], "AdminTo", server);
  for (const computer of workstations) connect(groups["WORKSTATION ADMINS"], "AdminTo", computer);
  for (const server of random.sample(servers, 3)) {
    connect(groups["SQL ADMINS"], "SQLAdmin", server);
    connect(groups["SERVER ADMINS"], "CanPSRemote", server);
    connect(groups["BACKUP OPERATORS"], "CanBackup", server);
    connect(groups["HELP DESK"], "ExecuteDCOM", server);
  }
  for (const computer of random.sample(workstations, 4)) connect(groups["HELP DESK"], "CanRDP", computer);
  connect(domain.serviceAccounts[2], "AllowedToDelegate", servers[1]);
  connect(servers[2], "AllowedToDelegate", servers[3]);
  for (const user of random.sample(domain.users, 5)) connect(groups["HELP DESK"], "ForceChangePassword", user);
}

/** Each kind of mistake a few times, between different principals. */
function addMistakes(domain: DirectoryDomain, random: Random, connect: Connect): void {
  const { groups, units, users, serviceAccounts, tierZeroUsers, controllers, servers, workstations } = domain;
  const weak = [...users, ...serviceAccounts, groups["HELP DESK"], groups["SERVER ADMINS"], groups.ENGINEERING];
  const tierZeroGroups = ["DOMAIN ADMINS", "ENTERPRISE ADMINS", "SCHEMA ADMINS", "BACKUP OPERATORS"].map(
    (name) => groups[name],
  );
  const tierZeroObjects = [...tierZeroUsers, ...tierZeroGroups, ...controllers];
  const several = (kind: string, targets: readonly (GraphNode | undefined)[], most = 4): void => {
    const count = 2 + random.below(most - 1);
    for (let index = 0; index < count; index += 1) connect(random.pick(weak), kind, random.pick(targets));
  };
  several("GenericAll", tierZeroObjects);
  several("GenericWrite", tierZeroObjects);
  several("WriteDacl", [...tierZeroObjects, domain.domain]);
  several("WriteOwner", [...tierZeroObjects, domain.policies[0]]);
  several("Owns", tierZeroObjects);
  several("AddMember", tierZeroGroups);
  several("ForceChangePassword", tierZeroUsers);
  several("AdminTo", controllers, 3);
  several("CanRDP", controllers, 3);
  several("CanPSRemote", controllers, 3);
  several("AddKeyCredentialLink", [servers[0]], 3);
  connect(random.pick(serviceAccounts), "DCSync", domain.domain);
  connect(random.pick(users), "DCSync", domain.domain);
  connect(groups["DOMAIN USERS"], "GenericAll", random.pick(servers));
  connect(groups["AUTHENTICATED USERS"], "GenericAll", units.WORKSTATIONS);
  for (const computer of random.sample(workstations, 2)) connect(groups["DOMAIN USERS"], "AdminTo", computer);
  for (const server of random.sample(servers, 2)) connect(groups["AUTHENTICATED USERS"], "CanRDP", server);
}

/** Who is logged on where: most users on one workstation, two Tier Zero users where they should not be. */
function addSessions(domain: DirectoryDomain, random: Random, connect: Connect): void {
  const { users, workstations, servers, controllers, tierZeroUsers, serviceAccounts } = domain;
  for (const user of users) if (random.below(4) > 0) connect(random.pick(workstations), "HasSession", user);
  for (const account of serviceAccounts) connect(random.pick(servers), "HasSession", account);
  connect(controllers[0], "HasSession", tierZeroUsers[0]);
  connect(random.pick(servers), "HasSession", tierZeroUsers[2]);
  connect(random.pick(workstations), "HasSession", tierZeroUsers[3]);
}

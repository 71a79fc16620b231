import { formatInstant, parseInstant } from "../instants.ts";
import type { WireEnvironment } from "../wire.ts";
import { CATALOGUE, documentsOf } from "./catalogue.ts";
import { addCloudTenant } from "./cloud.ts";
import { Dataset } from "./dataset.ts";
import { deriveFindings } from "./derive.ts";
import { addDomain, type DirectoryDomain, type DomainPlan } from "./directory.ts";
import type { Draft } from "./draft.ts";
import { addDirectoryObject, type Site } from "./nodes.ts";
import { addCertificateServices } from "./pki.ts";
import { seededRandom, type Random } from "./random.ts";
import { addRights } from "./rights.ts";

export interface DemoOptions {
  kind?: "demo";
  /** Same seed, same data; default 1. */
  seed?: number;
  /** RFC 3339 instant of the newest analysis; default 2026-01-15T06:00:00Z. A started tenant takes one hour ago. */
  analysedAt?: string;
  /** Adds an environment with the name of the first one and an id of its own; default false. */
  duplicateName?: boolean;
}

export const DEFAULT_ANALYSED_AT = "2026-01-15T06:00:00Z";
const HOUR = 3_600_000_000_000n;
/** How long before the newest analysis each one was, and the share of findings known by then. */
const ANALYSES = [
  { before: 48n * HOUR, share: 0.6 },
  { before: 24n * HOUR, share: 0.85 },
  { before: 0n, share: 1 },
];

const ROOT: DomainPlan = {
  name: "CORP.HALDEN.TEST",
  sid: "S-1-5-21-2697957641-2271029196-387917394",
  users: 60,
  workstations: 24,
  servers: 10,
};
const CHILD: DomainPlan = {
  name: "EU.CORP.HALDEN.TEST",
  sid: "S-1-5-21-909015691-3030120388-2582151266",
  users: 40,
  workstations: 16,
  servers: 8,
};
const OTHER: DomainPlan = {
  name: "FJORD.TEST",
  sid: "S-1-5-21-3130019616-2776909439-2417379446",
  users: 30,
  workstations: 12,
  servers: 6,
};
const TWIN: DomainPlan = {
  name: ROOT.name,
  sid: "S-1-5-21-1004336348-1177238915-682003330",
  wellKnownPrefix: "CORP.HALDEN.TEST-2",
  users: 25,
  workstations: 8,
  servers: 5,
};
const CLOUD = { name: "HALDEN.ONMICROSOFT.TEST", id: "6C12B0B0-B2CC-4A73-8252-0B94BFCA2145", users: 30 };
const UNCOLLECTED = { name: "LEGACY.HALDEN.TEST", id: "S-1-5-21-1454471165-1004335555-1606985555" };

/** Three domains (two of one forest), an Entra tenant, and a domain that has not been collected. */
export function demoDataset(options: DemoOptions = {}): Dataset {
  const seed = options.seed ?? 1;
  const random = seededRandom(seed);
  const dataset = new Dataset(seed);
  const analysedAt = options.analysedAt ?? DEFAULT_ANALYSED_AT;
  const site = (environmentId: string, domain: string): Site => ({
    graph: dataset.graph,
    environmentId,
    domain,
    lastSeen: `${analysedAt.slice(0, 19)}Z`,
  });
  const domain = (plan: DomainPlan): DirectoryDomain => {
    const made = addDomain(site(plan.sid, plan.name), plan, random);
    addRights(made, random);
    dataset.addEnvironment(environment("active-directory", plan.sid, plan.name, random));
    return made;
  };
  const root = domain(ROOT);
  const child = domain(CHILD);
  const other = domain(OTHER);
  if (options.duplicateName === true) domain(TWIN);
  addCertificateServices(root, random);
  addCloudTenant(site(CLOUD.id, CLOUD.name), random, CLOUD.users);
  dataset.addEnvironment(environment("azure", CLOUD.id, CLOUD.name, random));
  dataset.addEnvironment({
    ...environment("active-directory", UNCOLLECTED.id, UNCOLLECTED.name, random),
    collected: false,
  });
  connectDomains(root, child, other, dataset);
  for (const type of CATALOGUE.values()) dataset.documents.set(type.name, documentsOf(type));
  addAnalyses(dataset, analysedAt, random);
  return dataset;
}

function environment(type: string, id: string, name: string, random: Random): WireEnvironment {
  return {
    type,
    name,
    id,
    collected: true,
    impactValue: 20 + random.below(75),
    hygiene_attack_paths: random.below(12),
    exposures: [{ exposure_percent: 10 + random.below(85), asset_group_tag: { id: 1, name: "Tier Zero" } }],
  };
}

/** Trusts, memberships across domains, users that are synchronised to the cloud, and a name with a comma. */
function connectDomains(root: DirectoryDomain, child: DirectoryDomain, other: DirectoryDomain, dataset: Dataset): void {
  const { graph } = dataset;
  const connect = (
    from: { objectId: string } | undefined,
    kind: string,
    to: { objectId: string } | undefined,
  ): void => {
    if (from !== undefined && to !== undefined) graph.connect(from.objectId, kind, to.objectId);
  };
  connect(root.domain, "SameForestTrust", child.domain);
  connect(child.domain, "SameForestTrust", root.domain);
  connect(other.domain, "CrossForestTrust", root.domain);
  connect(root.groups["ENTERPRISE ADMINS"], "MemberOf", child.groups.ADMINISTRATORS);
  connect(child.users[3], "MemberOf", root.groups["VPN USERS"]);
  connect(child.users[8], "MemberOf", root.groups["VPN USERS"]);
  connect(child.groups["SERVER ADMINS"], "MemberOf", root.groups["SERVER ADMINS"]);
  connect(root.groups["HELP DESK"], "AdminTo", other.servers[2]);
  connect(root.users[5], "GenericWrite", other.policies[2]);
  const sid = `${root.domain.objectId}-9001`;
  const external = addDirectoryObject(root.site, "Group", sid, `ADMINS, EXTERNAL@${root.domain.name}`, {});
  connect(root.users[11], "MemberOf", external);
  connect(external, "CanRDP", root.servers[4]);
  const cloudUsers = dataset.nodesOf(CLOUD.id).filter((node) => node.kind === "AZUser");
  root.users.slice(0, 8).forEach((user, index) => {
    connect(user, "SyncedToEntraUser", cloudUsers[index + 8]);
  });
}

/** Gives the findings to the analyses that found them: ids ascend with time over all environments. */
function addAnalyses(dataset: Dataset, analysedAt: string, random: Random): void {
  const newest = parseInstant(analysedAt) ?? parseInstant(DEFAULT_ANALYSED_AT) ?? 0n;
  const collected = dataset.environments.filter((candidate) => candidate.collected);
  const waiting = new Map(
    collected.map(({ id }) => [
      id,
      deriveFindings(dataset.ground(id)).map((draft) => ({ draft, luck: random.next() })),
    ]),
  );
  const latest = new Map<string, string>();
  for (const { before, share } of ANALYSES) {
    for (const [index, { id }] of collected.entries()) {
      const instant = newest - before - BigInt(index) * 420_000_000_000n - BigInt(random.below(1_000_000_000));
      const createdAt = formatInstant(instant);
      const due = waiting.get(id) ?? [];
      waiting.set(
        id,
        due.filter(({ luck }) => luck >= share),
      );
      for (const { draft } of due.filter(({ luck }) => luck < share)) stamp(dataset, id, draft, createdAt);
      dataset.addSparklinePoints(id, createdAt);
      latest.set(id, createdAt);
    }
  }
  for (const [id, updatedAt] of latest) dataset.touch(id, updatedAt);
}

function stamp(dataset: Dataset, environmentId: string, draft: Draft, createdAt: string): void {
  dataset
    .table(environmentId, draft.Finding)
    .add({ ...draft, id: dataset.takeIds(1), created_at: createdAt, updated_at: createdAt });
}

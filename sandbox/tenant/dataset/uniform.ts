import type { GraphNode } from "../graph/graph.ts";
import type { WireFinding } from "../wire.ts";
import { CATALOGUE, documentsOf, type FindingType } from "./catalogue.ts";
import { DIRECTORY_TYPES } from "./catalogue-directory.ts";
import { Dataset } from "./dataset.ts";
import { DEFAULT_ANALYSED_AT, demoDataset, type DemoOptions } from "./demo.ts";
import { listDraft, relationshipDraft, type Draft } from "./draft.ts";
import { addDirectoryObject, type Site } from "./nodes.ts";

/** The same number of findings for each pair; they are computed when they are asked for. */
export interface UniformOptions {
  kind?: "uniform";
  environments: number;
  findingTypes: number;
  findingsPerPair: number;
  /** RFC 3339 instant of the one analysis; default as for the demo data set. */
  analysedAt?: string;
}

const USERS = 12;
const TARGETS = 8;
/** Exposures from low to critical, so that every severity occurs. */
const EXPOSURES = [0.02, 0.18, 0.41, 0.66, 0.83, 0.97];

function uniformDataset(options: UniformOptions): Dataset {
  const dataset = new Dataset();
  const createdAt = options.analysedAt ?? DEFAULT_ANALYSED_AT;
  const types = Array.from({ length: options.findingTypes }, (_, index) => typeAt(index));
  for (const type of types) dataset.documents.set(type.name, documentsOf(type));
  for (let number = 1; number <= options.environments; number += 1) {
    const { environmentId, users, targets } = addEnvironment(dataset, number, createdAt);
    for (const type of types) {
      dataset.table(environmentId, type.name).addBatch({
        firstId: dataset.takeIds(options.findingsPerPair),
        count: options.findingsPerPair,
        createdAt,
        updatedAt: createdAt,
        assets: Math.min(options.findingsPerPair, type.source.form === "list" ? USERS : TARGETS),
        risk: 97,
        make: maker(type, environmentId, users, targets),
      });
    }
    dataset.addSparklinePoints(environmentId, createdAt);
  }
  return dataset;
}

/** The types of the catalogue first, then numbered ones of the same form. */
function typeAt(index: number): FindingType {
  const known = DIRECTORY_TYPES[index];
  if (known !== undefined) return known;
  const number = String(index + 1).padStart(3, "0");
  const base = CATALOGUE.get("T0GenericAll") ?? DIRECTORY_TYPES[0];
  if (base === undefined) throw new Error("The catalogue is empty.");
  return { ...base, name: `T0Uniform${number}`, title: `Uniform Finding Type ${number}` };
}

interface UniformEnvironment {
  environmentId: string;
  users: GraphNode[];
  targets: GraphNode[];
}

function addEnvironment(dataset: Dataset, number: number, createdAt: string): UniformEnvironment {
  const environmentId = `S-1-5-21-1000-2000-${number}`;
  const domain = `UNIFORM-${String(number).padStart(4, "0")}.TEST`;
  const site: Site = { graph: dataset.graph, environmentId, domain, lastSeen: `${createdAt.slice(0, 19)}Z` };
  dataset.addEnvironment({
    type: "active-directory",
    name: domain,
    id: environmentId,
    collected: true,
    impactValue: 50,
    hygiene_attack_paths: 0,
    exposures: [{ exposure_percent: 50, asset_group_tag: { id: 1, name: "Tier Zero" } }],
  });
  addDirectoryObject(site, "Domain", environmentId, domain, { tierZero: true, collected: true });
  const objects = (kind: string, prefix: string, count: number, rid: number, tierZero: boolean): GraphNode[] =>
    Array.from({ length: count }, (_, index) =>
      addDirectoryObject(site, kind, `${environmentId}-${rid + index}`, `${prefix}${index + 1}@${domain}`, {
        tierZero,
        enabled: true,
      }),
    );
  const users = objects("User", "USER", USERS, 1103, false);
  const targets = [
    ...objects("Group", "ADMINS", TARGETS / 2, 1203, true),
    ...objects("Computer", "DC", TARGETS / 2, 1303, true),
  ];
  const staff = objects("Group", "STAFF", 1, 1403, false);
  const workstations = objects("Computer", "WS", 1, 1503, false);
  users.forEach((user, index) => {
    for (const [relation, end] of [
      ["GenericAll", targets[index % targets.length]],
      ["MemberOf", staff[0]],
      ["AdminTo", workstations[0]],
    ] as const) {
      if (end !== undefined) dataset.graph.connect(user.objectId, relation, end.objectId);
    }
  });
  return { environmentId, users, targets };
}

/** Makes the finding at an index. Principals repeat, so their properties are the same objects over and over. */
function maker(
  type: FindingType,
  environmentId: string,
  users: GraphNode[],
  targets: GraphNode[],
): (index: number) => WireFinding {
  const { source } = type;
  const made = new Map<number, Draft>();
  const cycle = USERS * TARGETS * EXPOSURES.length;
  const make = (index: number): Draft => {
    const from = users[index % users.length];
    const to = targets[Math.floor(index / users.length) % targets.length];
    if (from === undefined || to === undefined) throw new Error("The uniform environment has no objects.");
    const percentage = EXPOSURES[index % EXPOSURES.length] ?? 0;
    const share = { count: Math.round(percentage * 1000), percentage };
    if (source.form === "list") return listDraft(type.name, environmentId, from, share);
    const edge = { from: from.objectId, kind: source.edge, to: to.objectId };
    return relationshipDraft(type.name, environmentId, edge, { from, to }, { exposure: share, impact: share });
  };
  return (index) => {
    const position = index % cycle;
    const draft = made.get(position) ?? make(position);
    made.set(position, draft);
    return draft;
  };
}

export type DatasetOptions = DemoOptions | UniformOptions;

/** Builds a data set; equal options give equal data. */
export function buildDataset(options: DatasetOptions = {}): Dataset {
  return "environments" in options ? uniformDataset(options) : demoDataset(options);
}

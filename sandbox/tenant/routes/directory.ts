import { dataAnswer, jsonAnswer, Refusal } from "../answer.ts";
import type { Handler, Route } from "../exchange.ts";
import { domainObjects, foreignAdmins, foreignMembers, foreignPolicyControllers } from "../graph/domain-relations.ts";
import { DIRECTORY_CONTROL } from "../graph/kinds.ts";
import {
  contents,
  direct,
  groupsOf,
  inbound,
  membersOf,
  ofKind,
  only,
  outbound,
  policiesOn,
  policyScope,
  sessionHosts,
  type Relation,
} from "../graph/relations.ts";
import { parseCount, parseFlag } from "../query.ts";
import { DIRECTORY_LISTS } from "./directory-lists.ts";

interface DirectoryKind {
  kind: string;
  counts: Record<string, Relation>;
}

const may = (edge: string): Relation => outbound(new Set([edge]));
const whoMay = (edge: string): Relation => inbound(new Set([edge]));
const controllables = outbound(DIRECTORY_CONTROL);
const controllers = inbound(DIRECTORY_CONTROL);
const certificateChain = direct("outgoing", "IssuedSignedBy", "EnterpriseCAFor", "RootCAFor");

const rights = {
  adminRights: may("AdminTo"),
  rdpRights: may("CanRDP"),
  backupRights: may("CanBackup"),
  dcomRights: may("ExecuteDCOM"),
  psRemoteRights: may("CanPSRemote"),
};
const control = { controllables, controllers };

/** Kinds and counts by route (BloodHound API, cmd/api/src/api/v2/ad_entity.go). */
export const DIRECTORY_KINDS: Record<string, DirectoryKind> = {
  users: {
    kind: "User",
    counts: {
      sessions: sessionHosts,
      groupMembership: groupsOf,
      ...rights,
      sqlAdmin: may("SQLAdmin"),
      constrainedDelegation: direct("outgoing", "AllowedToDelegate"),
      ...control,
      gpos: policiesOn,
    },
  },
  computers: {
    kind: "Computer",
    counts: {
      sessions: direct("outgoing", "HasSession"),
      adminUsers: whoMay("AdminTo"),
      rdpUsers: whoMay("CanRDP"),
      dcomUsers: whoMay("ExecuteDCOM"),
      psRemoteUsers: whoMay("CanPSRemote"),
      backupOperators: whoMay("CanBackup"),
      sqlAdminUsers: whoMay("SQLAdmin"),
      constrainedUsers: direct("incoming", "AllowedToDelegate"),
      groupMembership: groupsOf,
      ...rights,
      constrainedPrivs: direct("outgoing", "AllowedToDelegate"),
      ...control,
      gpos: policiesOn,
    },
  },
  groups: {
    kind: "Group",
    counts: { sessions: sessionHosts, members: membersOf, membership: groupsOf, ...rights, ...control },
  },
  domains: {
    kind: "Domain",
    counts: {
      users: domainObjects("User"),
      groups: domainObjects("Group"),
      computers: domainObjects("Computer"),
      ous: domainObjects("OU"),
      gpos: domainObjects("GPO"),
      foreignUsers: foreignMembers("User"),
      foreignGroups: foreignMembers("Group"),
      foreignGPOControllers: foreignPolicyControllers,
      foreignAdmins,
      inboundTrusts: direct("incoming", "SameForestTrust", "CrossForestTrust"),
      outboundTrusts: direct("outgoing", "SameForestTrust", "CrossForestTrust"),
      controllers,
      linkedgpos: direct("incoming", "GPLink"),
      dcsyncers: whoMay("DCSync"),
      "adcs-escalations": direct("incoming", "ADCSESC1"),
    },
  },
  gpos: {
    kind: "GPO",
    counts: {
      ous: only(policyScope, ofKind("OU", "Domain")),
      computers: only(policyScope, ofKind("Computer")),
      users: only(policyScope, ofKind("User")),
      controllers,
      tierzero: only(policyScope, (node) => node.tierZero),
    },
  },
  ous: {
    kind: "OU",
    counts: {
      gpos: policiesOn,
      users: only(contents, ofKind("User")),
      groups: only(contents, ofKind("Group")),
      computers: only(contents, ofKind("Computer")),
    },
  },
  containers: { kind: "Container", counts: { controllers } },
  aiacas: { kind: "AIACA", counts: { controllers, "pki-hierarchy": certificateChain } },
  rootcas: {
    kind: "RootCA",
    counts: { controllers, "pki-hierarchy": direct("incoming", "IssuedSignedBy", "EnterpriseCAFor") },
  },
  enterprisecas: {
    kind: "EnterpriseCA",
    counts: {
      controllers,
      "pki-hierarchy": certificateChain,
      "published-templates": direct("incoming", "PublishedTo"),
    },
  },
  ntauthstores: { kind: "NTAuthStore", counts: { controllers, "trusted-cas": direct("incoming", "TrustedForNTAuth") } },
  certtemplates: {
    kind: "CertTemplate",
    counts: { controllers, "published-to-cas": direct("outgoing", "PublishedTo") },
  },
  issuancepolicies: {
    kind: "IssuancePolicy",
    counts: { controllers, linkedTemplates: direct("incoming", "ExtendedByPolicy") },
  },
  base: { kind: "Base", counts: { controllables } },
};

const entity =
  ({ kind, counts }: DirectoryKind): Handler =>
  ({ parameters, query, data }) => {
    const hydrate = parseFlag(query, "counts", true);
    const node = data.graph.get(parameters.object_id ?? "");
    if (node?.kinds.includes(kind) !== true) throw new Refusal(404, "node not found");
    if (!hydrate) return dataAnswer({ props: node.tierZero ? { ...node.props, isTierZero: true } : node.props });
    const sizes = Object.entries(counts).map(
      ([name, relation]) => [name, relation(data.graph, node.objectId).size] as const,
    );
    return dataAnswer({ props: node.props, kinds: node.kinds, ...Object.fromEntries(sizes) });
  };

const DEFAULT_LIMIT = 10;

/**
 * A page of related objects (BloodHound API, cmd/api/src/api/v2/ad_related_entity.go). No object is a null list. The pages are in
 * order, but not what is in them (cmd/api/src/queries/graph.go, runListQuery).
 */
const relatedEntities =
  (kind: string, relation: Relation): Handler =>
  ({ parameters, query, data }) => {
    const skip = parseCount(query, "skip", 0);
    const limit = parseCount(query, "limit", DEFAULT_LIMIT);
    const node = data.graph.get(parameters.object_id ?? "");
    if (node?.kinds.includes(kind) !== true) throw new Refusal(404, "node not found");
    const found = [...relation(data.graph, node.objectId)].flatMap((objectId) => data.graph.get(objectId) ?? []);
    const page = found
      .slice(skip, skip + limit)
      .reverse()
      .map((each) => ({ objectID: each.objectId, name: each.name, label: each.kind }));
    return jsonAnswer({ count: found.length, limit, skip, data: page.length === 0 ? null : page });
  };

const listRoutes: Route[] = Object.entries(DIRECTORY_LISTS).flatMap(([route, lists]) =>
  Object.entries(lists).map(([list, counted]) => {
    const { kind = "Base", counts = {} } = DIRECTORY_KINDS[route] ?? {};
    const relation = counts[counted] ?? controllers;
    return { method: "GET", path: `/api/v2/${route}/:object_id/${list}`, handle: relatedEntities(kind, relation) };
  }),
);

const kindRoutes: Route[] = Object.entries(DIRECTORY_KINDS).map(([route, kind]) => ({
  method: "GET",
  path: `/api/v2/${route}/:object_id`,
  handle: entity(kind),
}));

export const directoryRoutes: Route[] = [...kindRoutes, ...listRoutes];

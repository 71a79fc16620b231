import type { GraphNode } from "../graph/graph.ts";
import type { DirectoryDomain } from "./directory.ts";
import { addDirectoryObject } from "./nodes.ts";
import { seededUuid, type Random } from "./random.ts";

const TEMPLATES = ["USER", "COMPUTER", "WEB SERVER", "VPN CLIENT", "CODE SIGNING"];

/** Adds the certificate services of a forest to its root domain, with one template that anyone can abuse (ESC1). */
export function addCertificateServices(domain: DirectoryDomain, random: Random): void {
  const { site, groups, servers } = domain;
  const short = domain.domain.name.split(".")[0] ?? "";
  const add = (kind: string, name: string, tierZero: boolean): GraphNode =>
    addDirectoryObject(site, kind, seededUuid(random).toUpperCase(), `${name}@${domain.domain.name}`, { tierZero });
  const connect = (from: GraphNode | undefined, kind: string, to: GraphNode | undefined): void => {
    if (from !== undefined && to !== undefined) site.graph.connect(from.objectId, kind, to.objectId);
  };
  const root = add("RootCA", `${short}-ROOT-CA`, true);
  const intermediate = add("AIACA", `${short}-ROOT-CA`, true);
  const issuing = add("EnterpriseCA", `${short}-ISSUING-CA`, true);
  const store = add("NTAuthStore", "NTAUTHCERTIFICATES", true);
  const templates = TEMPLATES.map((name) => add("CertTemplate", name, false));
  const policy = add("IssuancePolicy", "HIGH ASSURANCE", false);
  connect(root, "RootCAFor", domain.domain);
  connect(store, "NTAuthStoreFor", domain.domain);
  connect(issuing, "IssuedSignedBy", root);
  connect(intermediate, "IssuedSignedBy", root);
  connect(issuing, "EnterpriseCAFor", root);
  connect(issuing, "TrustedForNTAuth", store);
  connect(servers[0], "HostsCAService", issuing);
  templates.forEach((template, index) => {
    if (index < 4) connect(template, "PublishedTo", issuing);
    connect(groups[index === 1 ? "DOMAIN COMPUTERS" : "DOMAIN USERS"], "Enroll", template);
  });
  connect(templates[4], "ExtendedByPolicy", policy);
  connect(groups["SERVER ADMINS"], "GenericAll", templates[2]);
  connect(groups["SERVER ADMINS"], "ManageCA", issuing);
  connect(groups["VPN USERS"], "ADCSESC1", domain.domain);
  connect(groups.MARKETING, "ADCSESC1", domain.domain);
}

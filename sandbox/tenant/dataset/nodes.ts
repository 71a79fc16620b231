import type { Graph, GraphNode } from "../graph/graph.ts";
import type { WireProperties } from "../wire.ts";

/** What the makers of objects need: the graph, and the environment that the objects belong to. */
export interface Site {
  graph: Graph;
  environmentId: string;
  /** For example CORP.HALDEN.TEST. */
  domain: string;
  /** RFC 3339 instant, without a fraction, at which objects were last seen. */
  lastSeen: string;
}

const TIER_ZERO_TAG = "admin_tier_0";

/** What an object has besides what every object has. */
type OwnProperties = WireProperties & { tierZero?: boolean };
/** Properties that every object of a platform has. */
type Common = (site: Site, kind: string, name: string, tierZero: boolean) => WireProperties;
type AddObject = (site: Site, kind: string, objectId: string, name: string, props?: OwnProperties) => GraphNode;

function adder(base: string, common: Common): AddObject {
  return (site, kind, objectId, name, { tierZero = false, ...more } = {}) =>
    site.graph.add({
      objectId,
      kind,
      kinds: [base, kind],
      name,
      environmentId: site.environmentId,
      tierZero,
      props: {
        name,
        objectid: objectId,
        ...common(site, kind, name, tierZero),
        system_tags: tierZero ? TIER_ZERO_TAG : "",
        lastseen: site.lastSeen,
        ...more,
      },
    });
}

/** Adds an object of Active Directory. */
export const addDirectoryObject = adder("Base", (site, kind, name, tierZero) => ({
  domain: site.domain,
  domainsid: site.environmentId,
  distinguishedname: distinguishedName(kind, name, site.domain),
  isaclprotected: tierZero,
}));

/** Adds an object of Entra ID or Azure. */
export const addCloudObject = adder("AZBase", (site, _kind, name) => ({
  displayname: name.split("@")[0],
  tenantid: site.environmentId,
}));

function distinguishedName(kind: string, name: string, domain: string): string {
  const suffix = domain
    .split(".")
    .map((part) => `DC=${part}`)
    .join(",");
  if (kind === "Domain") return suffix;
  const short = name.split("@")[0] ?? name;
  return kind === "OU"
    ? `OU=${short},${suffix}`
    : `CN=${kind === "Computer" ? (short.split(".")[0] ?? short) : short},${suffix}`;
}

/** Names of the made-up people and machines of the demo data set. */
export const FIRST_NAMES =
  "ADA ALICE AMIR ANNA BEN BRUNO CARLA CHEN CLARA DANA DAVID ELENA ELI EMMA FARID FINN GRETA HANA HUGO INES IVAN JANA JONAS KAI KARIN LARS LENA LEO LINA MAJA MARIO MINA NADIA NILS NOAH OLGA OMAR PAULA PETRA RAVI ROSA SAM SARA SVEN TARA THEO TOM UMA VERA YARA".split(
    " ",
  );
export const LAST_NAMES =
  "ABEL ANDERSEN BAKER BERG BLOM BRANDT CARLSEN COSTA DAHL DIAZ EKLUND FISCHER FONTANA GARCIA GREEN HANSEN HOLM HUBER IVERSEN JANSEN KAUR KELLER KIM KOVAC LANG LARSEN LOPEZ MEYER MORENO NAGY NOVAK OKAFOR OLSEN PARK PETROV QUINN REYES ROSSI SATO SCHMID SILVA SINGH TANAKA VOGEL WAGNER WEBER WINTER YOUNG ZELLER ZIMMER".split(
    " ",
  );
export const DEPARTMENTS = ["FINANCE", "ENGINEERING", "SALES", "HUMAN RESOURCES", "LEGAL", "MARKETING"] as const;

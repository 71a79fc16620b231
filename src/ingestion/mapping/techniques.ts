import { edgeTechniques } from "./edge-techniques.ts";

/** What finding types have in front of their edge, and what stands there in the name of the edge kind. */
const PREFIX = /^(?:(AzureT0)|NonT0|T0|LargeDefaultGroups|Unconstrained)(?=[A-Z])/;

/** Edges that finding types call by another name (finding types of BloodHound Enterprise, as public integrations list them). */
const renamed = new Map([
  ["Logins", "HasSession"],
  ["DCOM", "ExecuteDCOM"],
]);

/** The MITRE ATT&CK technique of a finding type, such as T1649 or T1021.003; undefined where the edge's page names none. */
export function techniqueOf(findingType: string): string | undefined {
  const edge = findingType.replace(PREFIX, (_, azure?: string) => (azure === undefined ? "" : "AZ"));
  const kind = renamed.get(edge) ?? edge;
  return Object.hasOwn(edgeTechniques, kind) ? edgeTechniques[kind]?.technique : undefined;
}

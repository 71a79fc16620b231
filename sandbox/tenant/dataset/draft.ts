import type { GraphEdge, GraphNode } from "../graph/graph.ts";
import { NEVER, NOT_DELETED, type Severity, type WireFinding, type WireProperties } from "../wire.ts";
import { stableHash } from "./random.ts";
import type { Share } from "./reach.ts";

/** A finding without its id and times, which the analysis that finds it gives. */
export type Draft = WireFinding;

const UNSTAMPED = { id: 0, created_at: NEVER, updated_at: NEVER, deleted_at: NOT_DELETED };
/** Far enough ahead for a test. */
export const ACCEPTED_UNTIL = "2030-01-01T00:00:00Z";

/** The service's thresholds (BloodHound Enterprise documentation, Posture). */
function severityOf(percentage: number): Severity {
  if (percentage >= 0.95) return "critical";
  if (percentage >= 0.8) return "high";
  return percentage >= 0.4 ? "moderate" : "low";
}

export function relationshipDraft(
  findingType: string,
  environmentId: string,
  edge: GraphEdge,
  ends: { from: GraphNode; to: GraphNode },
  shares: { exposure: Share; impact: Share },
): Draft {
  const { from, to } = ends;
  return {
    ...UNSTAMPED,
    FromPrincipal: from.objectId,
    FromPrincipalKind: from.kind,
    FromPrincipalProps: principalProps(from),
    ToPrincipal: to.objectId,
    ToPrincipalKind: to.kind,
    ToPrincipalProps: principalProps(to),
    RelProps: { isacl: edge.kind !== "HasSession", isinherited: false, lastseen: from.props.lastseen },
    ComboGraphRelationID: { int64: hash(`${from.objectId} ${edge.kind} ${to.objectId}`) % 1_000_000_000, valid: true },
    ...identity(findingType, environmentId, from.objectId + to.objectId),
    ImpactPercentage: shares.impact.percentage,
    ImpactCount: shares.impact.count,
    ExposurePercentage: shares.exposure.percentage,
    ExposureCount: shares.exposure.count,
    Severity: severityOf(shares.exposure.percentage),
  };
}

export function listDraft(findingType: string, environmentId: string, principal: GraphNode, impact: Share): Draft {
  return {
    ...UNSTAMPED,
    Principal: principal.objectId,
    PrincipalKind: principal.kind,
    Props: principalProps(principal),
    ...identity(findingType, environmentId, principal.objectId),
    ImpactPercentage: impact.percentage,
    ImpactCount: impact.count,
    Severity: severityOf(impact.percentage),
  };
}

/** What the two forms share. About one finding in twenty has been accepted. */
function identity(findingType: string, environmentId: string, principals: string) {
  const accepted = hash(`${findingType} ${principals}`) % 20 === 0;
  return {
    Finding: findingType,
    DomainSID: environmentId,
    PrincipalHash: Buffer.from(hash(principals).toString(16).padStart(16, "0"), "hex").toString("base64"),
    Accepted: accepted,
    AcceptedUntil: accepted ? ACCEPTED_UNTIL : NEVER,
  };
}

const hash = stableHash;

function principalProps(node: GraphNode): WireProperties {
  return { ...node.props };
}

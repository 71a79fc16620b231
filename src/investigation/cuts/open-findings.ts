import { severityOf } from "../../findings/severity.ts";
import { isFilledText } from "../../json.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";
import { endsTheRun, ServiceError } from "../../service/errors/errors.ts";
import type { Finding } from "../../service/resources/findings.records.ts";
import { isEmpty } from "../../service/resources/findings.ts";
import { NOT_REQUESTED } from "../../service/resources/requested-findings.ts";
import { unreadable } from "../../service/responses/response-body.ts";
import type { Severity } from "../../runtime/protocol.ts";

/** A relationship finding whose risk was not accepted. */
export interface OpenFinding {
  findingType: string;
  source: string;
  target: string;
  severity: Severity;
}

export interface OpenFindings {
  findings: OpenFinding[];
  /** Findings of a single object: they have no path to cut. */
  withoutPath: number;
  /** Findings whose risk was accepted. */
  accepted: number;
  /** Parts of the environment that could not be read, with the reason: their findings are missing. */
  unread: { name: string; error: ServiceError }[];
  /** Whether there are more findings than are read. */
  isCut: boolean;
}

/** More would take too long, and nobody removes so many relationships at once. */
const MOST_FINDINGS = 100_000;

/**
 * Reads the open findings of an environment, one finding type after the other.
 *
 * @param progress - receives a text for people that says what is being read
 * @throws ServiceError when the finding types cannot be listed, or a failure would meet every further request
 */
export async function readOpenFindings(
  service: Pick<AttackPathService, "findings">,
  environmentId: string,
  progress: (text: string) => void,
): Promise<OpenFindings> {
  const read: OpenFindings = { findings: [], withoutPath: 0, accepted: 0, unread: [], isCut: false };
  const { types, incomplete, unreadable: nameless } = await service.findings.types(environmentId);
  const error = incomplete ?? (nameless > 0 ? unreadable(nameless, "that are not names") : undefined);
  if (error !== undefined) read.unread.push({ name: "finding types", error });
  for (const findingType of types) {
    let ignored = 0;
    try {
      for await (const page of service.findings.pages({ environmentId, findingType, once: true })) {
        ignored += page.findings.filter(isEmpty).length;
        for (const finding of page.findings) add(read, findingType, finding);
        progress(
          `Reading ${findingType}: ${page.skip + page.findings.length}${page.total === null ? "" : ` of ${page.total}`}`,
        );
        if (read.findings.length < MOST_FINDINGS) continue;
        read.isCut = true;
        return read;
      }
    } catch (error) {
      if (!(error instanceof ServiceError) || endsTheRun(error)) throw error;
      read.unread.push({ name: findingType, error });
    }
    if (ignored > 0) read.unread.push({ name: findingType, error: unreadable(ignored, NOT_REQUESTED) });
  }
  return read;
}

function add(read: OpenFindings, findingType: string, finding: Finding): void {
  if (finding.deleted_at != null || isEmpty(finding)) return;
  if (finding.Accepted === true) read.accepted += 1;
  else if (!isFilledText(finding.FromPrincipal) || !isFilledText(finding.ToPrincipal)) read.withoutPath += 1;
  else {
    const severity = severityOf(finding.Severity, finding.ExposurePercentage, finding.ImpactPercentage);
    read.findings.push({ findingType, source: finding.FromPrincipal, target: finding.ToPrincipal, severity });
  }
}

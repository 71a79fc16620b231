import type { CaseFindings } from "../../soar/index.ts";
import { boundSentences, limitSentences } from "../../../src/investigation/cuts/cut-sentences.ts";
import { findCuts } from "../../../src/investigation/cuts/find-cuts.ts";
import { type OpenFindings, readOpenFindings } from "../../../src/investigation/cuts/open-findings.ts";
import { bestOf } from "../../../src/investigation/cuts/rank-cuts.ts";
import { nameOf } from "../../../src/investigation/paths/path-sentences.ts";
import type { Logger } from "../../../src/logger.ts";
import type { AttackPathService } from "../../../src/service/connect.ts";
import { counted } from "../../../src/text.ts";
import type { CutsView } from "../contract/index.ts";

/** A person waits for the answer; the command line asks about more. */
const MOST_PAIRS = 300;

/** Where to cut what the tenant has in an environment now. */
export async function cutsOfEnvironment(
  service: AttackPathService,
  environmentId: string,
  log: Logger,
): Promise<CutsView> {
  const read = await readOpenFindings(service, environmentId, () => undefined);
  const [unread] = read.unread;
  if (read.findings.length === 0 && unread !== undefined) throw unread.error;
  return cutsOf(service, read, log);
}

/** Where to cut the findings that a case has been given. */
export function cutsOfCase(service: AttackPathService, findings: CaseFindings, log: Logger): Promise<CutsView> {
  return cutsOf(service, { ...findings, unread: [], isCut: false }, log);
}

async function cutsOf(service: AttackPathService, read: OpenFindings, log: Logger): Promise<CutsView> {
  const found = await findCuts(service, read.findings, log, { mostPairs: MOST_PAIRS });
  if (found.cause !== null) throw found.cause;
  const { findings, edges, objects } = bestOf(found);
  const { unknown, leftOut, notAsked } = found;
  return {
    findings,
    isComplete: unknown + leftOut + notAsked + read.unread.length === 0 && !read.isCut,
    edges: edges.map(({ edge, ...counts }) => ({
      from: nameOf(edge.from),
      relation: edge.relation,
      to: nameOf(edge.to),
      ...counts,
    })),
    objects: objects.map(({ object, ...counts }) => ({ name: nameOf(object), kind: object.kind ?? "", ...counts })),
    notes: [
      ...boundSentences(found),
      ...limitSentences(found, read),
      ...(found.leftOut > 0 ? [`Not looked at: ${counted(found.leftOut, "finding")} of less severe pairs.`] : []),
      ...read.unread.map(({ name, error }) => `Incomplete: ${name}. ${error.message}`),
    ],
  };
}

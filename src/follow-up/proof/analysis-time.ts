import { parseInstant } from "../../service/instants.ts";
import type { AttackPathService } from "../../service/attack-path-service.ts";

/** When the last analysis ended, in epoch milliseconds, or why that cannot be said. */
export type AnalysisTime = { readonly at: number } | { readonly why: string };

const RUNNING = "An analysis is running, or data is being ingested. The next run tries again.";
const NEVER = "The service has not completed an analysis yet.";

export const NOT_REPORTED = {
  why: "The service does not report when its last analysis ended, so no finding can be confirmed as gone. The next run tries again.",
} as const satisfies AnalysisTime;

/** What a complete read is about. Two requests tell whether an analysis ended between them. */
export class AnalysisTimes {
  readonly #service: AttackPathService;
  /** Whether the tenant offers `datapipe/status`; null as long as that is not known. */
  #isOffered: boolean | null;
  #isTold = false;

  /** @param wasOffered - whether the tenant has offered it in an earlier run: then nothing else may stand for it */
  constructor(service: AttackPathService, wasOffered: boolean) {
    this.#service = service;
    this.#isOffered = wasOffered ? true : null;
  }

  /** Whether the tenant has answered it in this run. */
  get isTold(): boolean {
    return this.#isTold;
  }

  /** The tenant has not offered it for so long that sparklines stand for it. */
  giveUpTenant(): void {
    this.#isOffered = false;
  }

  /** The tenant's own word, which is about all environments; null when it does not offer it. @throws ServiceError */
  async ofTenant(): Promise<AnalysisTime | null> {
    if (this.#isOffered === false) return null;
    const status = await this.#service.analysis.status({ required: true });
    this.#isOffered ??= status !== null;
    this.#isTold ||= status !== null;
    if (status === null) return this.#isOffered ? NOT_REPORTED : null;
    if (!status.idle) return { why: RUNNING };
    const at = status.completedAt === null ? null : parseInstant(status.completedAt);
    return at === null || at < 0 ? { why: NEVER } : { at };
  }

  /** The tenant's word, else the newest point of the sparkline of a stream. @throws ServiceError */
  async of(environmentId: string, findingType: string): Promise<AnalysisTime> {
    const ofTenant = await this.ofTenant();
    if (ofTenant !== null) return ofTenant;
    const points = await this.#service.findings.sparkline({ environmentId, findingType }, { required: true });
    const times = points.flatMap(({ created_at: text }) => parseInstant(text ?? "") ?? []);
    return times.length === 0 ? NOT_REPORTED : { at: times.reduce((latest, time) => Math.max(latest, time), 0) };
  }
}

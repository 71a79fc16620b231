import type { Clock } from "../../clock.ts";
import type { AnswerHead, Transport } from "../../service/connect.ts";

/** A request and what came back, without what could be secret: no query, no body, no credentials. */
export type RecordedRequest = {
  readonly method: string;
  readonly path: string;
  /** Scheme word of the Authorization header. */
  readonly scheme: string;
  /** Null when no response arrived. */
  readonly status: number | null;
  readonly ms: number;
  /** Epoch milliseconds of this machine when the head of the response arrived. */
  readonly answeredAt: number | null;
  readonly headers: Record<string, string>;
};

/** Headers that help to find a fault. Others, such as cookies, are nobody's business. */
const KEPT = /^(date|server|via|content-type|retry-after|preference-applied|x-rate-?limit-\w+)$/;

/** A transport that keeps a record of every exchange. */
export function recording(inner: Transport, clock: Clock, exchanges: RecordedRequest[]): Transport {
  return {
    async send(request) {
      const started = clock.monotonic();
      let head: AnswerHead | null = null;
      let answeredAt: number | null = null;
      try {
        return await inner.send({
          ...request,
          onHead(arrived) {
            head = arrived;
            answeredAt = clock.now();
            request.onHead(arrived);
          },
        });
      } finally {
        const { status, headers } = (head as AnswerHead | null) ?? { status: null, headers: {} };
        exchanges.push({
          method: request.method,
          path: request.target.replace(/\?.*$/s, ""),
          scheme: (request.headers["Authorization"] ?? "").replace(/ .*$/s, ""),
          status,
          ms: clock.monotonic() - started,
          answeredAt,
          headers: keptOf(headers),
        });
      }
    },
    close() {
      inner.close();
    },
  };
}

function keptOf(headers: AnswerHead["headers"]): Record<string, string> {
  const kept = Object.entries(headers).flatMap(([name, value]) =>
    KEPT.test(name) && value !== undefined ? [[name, value] as const] : [],
  );
  return Object.fromEntries(kept);
}

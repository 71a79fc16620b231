import type { Answer, OutgoingRequest, Transport } from "../../../src/service/connect.ts";

/** A network in memory: answers each request by the given function, with nothing in between. */
export function networkOf(answer: (request: OutgoingRequest, index: number) => Answer | Promise<Answer>): Transport & {
  requests: OutgoingRequest[];
  closed: boolean;
} {
  const requests: OutgoingRequest[] = [];
  return {
    requests,
    closed: false,
    async send(request) {
      const given = await answer(request, requests.push(request) - 1);
      request.onHead(given);
      return given;
    },
    close() {
      this.closed = true;
    },
  };
}

/** A JSON answer with lower-case headers, as a transport gives it. */
export function jsonAnswer(body: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return { status, headers: { "content-type": "application/json", ...headers }, body: JSON.stringify(body) };
}

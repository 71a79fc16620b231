export interface OutgoingRequest {
  readonly method: "DELETE" | "GET";
  /** Path and query, sent byte for byte as the request target: the signature covers exactly these bytes. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** Ends the request. */
  readonly signal: AbortSignal;
  /** Whether to open a connection for it. Default: false, one that was kept open will do. */
  readonly fresh?: boolean;
  /** Most bytes of the body of a successful response, decoded. A larger one is refused with an `OversizedBodyError`. */
  readonly largestBody: number;
  /** Called when status and headers have arrived, before the body. */
  readonly onHead: (head: AnswerHead) => void;
  /** Called when a part of the body has arrived, with its length once it is decoded. */
  readonly onBody: (bytes: number) => void;
}

/** Status and headers of a response. */
export interface AnswerHead {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | undefined>>;
}

/** The headers of a response as `AnswerHead` has them. */
export function plainHeaders(headers: object): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), String(value)]));
}

/** Statuses of success whose body is not what was asked for: 202 promises it for later, 206 comes with a part of it. */
const WITHOUT_THE_ANSWER = new Set([202, 206]);

/** Whether the body is what was asked for. */
export function isSuccess({ status }: AnswerHead): boolean {
  return status >= 200 && status < 300 && !WITHOUT_THE_ANSWER.has(status);
}

export interface Answer extends AnswerHead {
  /** Decoded as UTF-8. */
  readonly body: string;
}

/** Whether there is an answer, and not the error in its place. */
export function isAnswer(outcome: Answer | Error): outcome is Answer {
  return !(outcome instanceof Error);
}

/** Sends requests to the service. A simulation may use its own instead of the network. */
export interface Transport {
  /**
   * Sends one request and resolves with whatever was answered, whatever its status. Rejects when no complete response
   * arrived, with an error that has the code of the fault as Node names it (`ECONNRESET`), or with a `BrokenBodyError` when the
   * body ended early. The body of an error response may be incomplete.
   */
  send(request: OutgoingRequest): Promise<Answer>;
  /** Closes the connections. */
  close(): void;
}

import { rejectOnAbort } from "../../../runtime/run-deadline.ts";
import { BadRequestError } from "../../../service/errors/errors.ts";
import { readBody } from "../../../service/http/body.ts";
import { parseServerAddress } from "../../../service/http/server-address.ts";
import {
  type Answer,
  type AnswerHead,
  type OutgoingRequest,
  plainHeaders,
  type Transport,
} from "../../../service/transport.ts";
import type { HttpRequestOptions, LegacyRequestOptions, StreamedResponse } from "./n8n.ts";

/** Sends one request whose response is streamed, whatever its status. */
export type SendStreamed = (request: SentRequest) => Promise<StreamedResponse>;

type SentRequest = Pick<OutgoingRequest, "method" | "headers" | "signal"> & { readonly url: string };

/** A transport that remembers what came of its requests. */
export interface ObservedTransport extends Transport {
  /** Whether any request was sent. */
  readonly used: boolean;
  /** Status of the last response; null before the first one. */
  readonly lastStatus: number | null;
}

/**
 * HTTP through n8n's own request helper, so that the proxies and certificates that are set in n8n apply.
 *
 * The helper passes the address through a URL parser. A target that this would change is refused before anything is sent,
 * because the signature covers the target byte for byte. Bodies come uncompressed: the helper decompresses them itself, and
 * takes a compressed body that was cut off for the whole.
 *
 * @param server - value of the parameter Server, which the client checks before it sends anything
 */
export function requestHelperTransport(server: string, send: SendStreamed): ObservedTransport {
  let used = false;
  let lastStatus: number | null = null;
  return {
    get used() {
      return used;
    },
    get lastStatus() {
      return lastStatus;
    },
    async send({ method, target, headers, signal, largestBody, onHead, onBody }): Promise<Answer> {
      const url = exactUrl(server, target);
      used = true;
      const asked = send({ method, url, headers: { ...headers, "Accept-Encoding": "identity" }, signal });
      const response = await rejectOnAbort(asked, signal).catch((error: unknown) => {
        // A response that comes too late would keep its connection.
        if (signal.aborted) asked.then(({ body }) => body.destroy()).catch(() => undefined);
        throw error;
      });
      const head: AnswerHead = { status: response.statusCode, headers: plainHeaders(response.headers) };
      lastStatus = head.status;
      onHead(head);
      const stop = (): void => {
        response.body.destroy(Object.assign(new Error("aborted"), { code: "ABORT_ERR" }));
      };
      signal.addEventListener("abort", stop, { once: true });
      if (signal.aborted) stop();
      try {
        return { ...head, body: await readBody(response.body, head, { largest: largestBody, onBody }) };
      } finally {
        signal.removeEventListener("abort", stop);
      }
    },
    close() {
      // n8n owns the connections.
    },
  };
}

/** Sends through the helper of a node that runs. */
export function throughHelper(httpRequest: (options: HttpRequestOptions) => Promise<unknown>): SendStreamed {
  return async ({ signal, ...request }) =>
    (await httpRequest({
      ...request,
      abortSignal: signal,
      encoding: "stream",
      json: false,
      returnFullResponse: true,
      ignoreHttpStatusErrors: true,
      disableFollowRedirect: true,
    })) as StreamedResponse;
}

/** Sends through the older helper, which cannot be aborted: a late response is dropped. */
export function throughLegacyHelper(request: (options: LegacyRequestOptions) => Promise<unknown>): SendStreamed {
  return async ({ method, url, headers }) =>
    (await request({
      method,
      uri: url,
      headers: { ...headers },
      encoding: null,
      useStream: true,
      gzip: false,
      json: false,
      resolveWithFullResponse: true,
      simple: false,
      followRedirect: false,
    })) as StreamedResponse;
}

/** @throws BadRequestError when a URL parser would change the target */
function exactUrl(server: string, target: string): string {
  const url = `${new URL(parseServerAddress(server).origin).origin}${target}`;
  const { pathname, search } = new URL(url);
  if (pathname + search !== target) {
    throw new BadRequestError(
      "A name or ID consists of dots only, and n8n cannot send it. No request was sent. Enter it as the service shows it.",
      { whoActs: "analyst" },
    );
  }
  return url;
}

import http from "node:http";
import https from "node:https";
import axios from "axios";
import { ConnectionPool } from "../service/http/connection-pool.ts";
import type { ServerAddress } from "../service/http/server-address.ts";
import type { TunnelOptions } from "../service/http/tunnel-agent.ts";
import { oneLine } from "../text.ts";
import type { Access } from "./access.ts";
import {
  type Asked,
  DO_BY_HAND,
  notTheApi,
  refused,
  silentProxy,
  tooLate,
  unexpected,
  unreachable,
  type Wording,
  withoutEffect,
} from "./failures.ts";

const LONGEST_QUOTE = 300;

/** What a request is for, and where it is described; see {@link Asked}. */
export type Purpose = Pick<Asked, "purpose" | "source"> & Partial<Pick<Asked, "guess" | "otherwise" | "isCheck">>;

/** What is sent: JSON, or a form with a file. */
type Body = string | FormData;

/** One request of the API, ready to be sent. */
export interface PlatformRequest {
  /** @returns the JSON in the answer; null for an empty answer */
  json(body?: object): Promise<unknown>;
  /** Sends a zip as the file of a form. @returns the JSON in the answer; null for an empty answer */
  upload(zip: Buffer, fileName: string): Promise<unknown>;
  /** @returns the zip in the answer: as such, or in Base64 under `media.inline` of JSON */
  zip(): Promise<Buffer>;
  /** Ends with a DeployError: the answer has no such thing. */
  missing(what: string): never;
  /** Ends with a DeployError: a guess was accepted, and did not help. */
  withoutEffect(what: string): never;
}

/** Sends requests to a platform with its credentials. Every failure is a DeployError. */
export class PlatformClient {
  readonly #address: ServerAddress;
  readonly #connections: ConnectionPool;
  readonly #access: Access;
  readonly #timeoutSeconds: number;
  readonly #wording: Wording;
  /** Of the request under way: an access token is renewed while the command runs. */
  #secret = "";

  constructor(address: ServerAddress, access: Access, wording: Wording, timeoutSeconds: number) {
    this.#address = address;
    this.#connections = new ConnectionPool(address);
    this.#access = access;
    this.#wording = wording;
    this.#timeoutSeconds = timeoutSeconds;
  }

  request(method: Asked["method"], target: string, purpose: Purpose): PlatformRequest {
    const asked: Asked = {
      method,
      path: target.replace(/\?.*/, ""),
      guess: null,
      otherwise: DO_BY_HAND,
      isCheck: false,
      ...purpose,
      bytes: 0,
      wording: this.#wording,
    };
    return {
      json: async (body) => {
        const sent = body === undefined ? undefined : JSON.stringify(body);
        return this.#parsed(asked, await this.#ask(asked, target, sent, sent?.length ?? 0));
      },
      upload: async (zip, fileName) => {
        const form = new FormData();
        form.append("file", new Blob([Uint8Array.from(zip)], { type: "application/zip" }), fileName);
        return this.#parsed(asked, await this.#ask(asked, target, form, zip.length));
      },
      zip: async () => {
        const answer = await this.#ask(asked, target);
        return zipIn(answer.data) ?? zipIn(inlineMedia(answer.data)) ?? notAZip(asked, answer.status);
      },
      missing: (what) => {
        throw unexpected(asked, what);
      },
      withoutEffect: (what) => {
        throw withoutEffect(asked, what);
      },
    };
  }

  close(): void {
    this.#connections.close();
  }

  #parsed(asked: Asked, { status, data }: Answer): unknown {
    const text = data.toString("utf8").trim();
    if (text === "") return null;
    try {
      return JSON.parse(text) as unknown;
    } catch {
      throw notTheApi(asked, status, this.#quotable(text));
    }
  }

  async #ask(asked: Asked, target: string, body?: Body, bytes = 0): Promise<Answer> {
    asked.bytes = bytes;
    this.#secret = (await this.#access.secret()).reveal();
    const answer = await this.#send(asked, target, body);
    if (answer.status >= 200 && answer.status <= 299) return answer;
    const location: unknown = answer.headers["location"];
    throw refused(asked, {
      status: answer.status,
      location: typeof location === "string" ? this.#quotable(location) : undefined,
      words: this.#quotable(answer.data.toString("utf8").trim()),
    });
  }

  async #send(asked: Asked, target: string, data: Body | undefined) {
    const agent = await this.#connections.get().catch((error: unknown) => {
      throw unreachable(asked, error);
    });
    // axios's own time limit would not end the request for a tunnel, and the process would wait for it.
    const late = AbortSignal.timeout(this.#timeoutSeconds * 1000);
    const tunnel = { isOpening: false };
    const onTunnel = (isOpening: boolean): void => {
      tunnel.isOpening = isOpening;
    };
    try {
      return await axios.request<Buffer>({
        method: asked.method,
        url: `${this.#address.origin}${target}`,
        headers: {
          Accept: "application/json",
          [this.#access.header]: `${this.#access.scheme}${this.#secret}`,
          ...(typeof data === "string" ? { "Content-Type": "application/json" } : {}),
        },
        data,
        adapter: "http",
        httpAgent: agent,
        httpsAgent: agent,
        transport: withTunnel(this.#address.protocol, { openUntil: late, onTunnel }),
        proxy: false,
        // The credentials would go where the redirect leads.
        maxRedirects: 0,
        maxBodyLength: Infinity,
        signal: late,
        responseType: "arraybuffer",
        transformResponse: [],
        validateStatus: null,
      });
    } catch (error) {
      if (!late.aborted) throw unreachable(asked, error);
      throw (tunnel.isOpening ? silentProxy : tooLate)(asked, this.#timeoutSeconds);
    }
  }

  /** What somebody else wrote, fit for one line of a terminal; a page is left out. */
  #quotable(text: string): string {
    if (/^<(!doctype|html|\?xml)/i.test(text)) return "";
    return oneLine(text.replaceAll(this.#secret, "[redacted]"), LONGEST_QUOTE);
  }
}

/** Node's own transport, which tells the agent about the request. axios would not pass that on. */
function withTunnel(protocol: ServerAddress["protocol"], tunnel: TunnelOptions) {
  const request = protocol === "https:" ? https.request : http.request;
  return {
    request: (options: https.RequestOptions, onResponse: (response: http.IncomingMessage) => void) =>
      request({ ...options, ...tunnel }, onResponse),
  };
}

interface Answer {
  status: number;
  data: Buffer;
}

function zipIn(data: Buffer): Buffer | null {
  return data.subarray(0, 2).equals(Buffer.from("PK")) ? data : null;
}

/** Empty when there is none. */
function inlineMedia(data: Buffer): Buffer {
  try {
    const { media } = JSON.parse(data.toString("utf8")) as { media?: { inline?: string } };
    return Buffer.from(media?.inline ?? "", "base64");
  } catch {
    return Buffer.alloc(0);
  }
}

function notAZip(asked: Asked, status: number): never {
  throw notTheApi(asked, status, "");
}

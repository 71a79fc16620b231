import axios, { AxiosError } from "axios";
import type { ConnectionPool } from "../service/http/connection-pool.ts";
import type { Secret } from "../service/credentials.ts";
import type { ServerAddress } from "../service/http/server-address.ts";
import { type Asked, notTheApi, refused, tooLate, unexpected, unreachable } from "./failures.ts";
import { oneLine } from "../text.ts";

const LONGEST_QUOTE = 300;
const TRY_BY_HAND = "Do this part by hand: docs/google-secops.md describes it.";

/** What a request is for; see {@link Asked}. */
export type Purpose = Pick<Asked, "purpose"> & Partial<Pick<Asked, "otherwise">>;

/** One request of the API, ready to be sent. */
export interface PlatformRequest {
  /** @returns the JSON in the answer; null for an empty answer */
  json(body?: object): Promise<unknown>;
  /** @returns the zip in the answer */
  zip(): Promise<Buffer>;
  /** Ends with a DeployError: the answer has no such thing. */
  missing(what: string): never;
}

/** Sends requests to a platform with its API key. Every failure is a DeployError. */
export class PlatformClient {
  readonly #address: ServerAddress;
  readonly #connections: ConnectionPool;
  readonly #key: Secret;
  readonly #timeoutSeconds: number;

  constructor(address: ServerAddress, connections: ConnectionPool, key: Secret, timeoutSeconds: number) {
    this.#address = address;
    this.#connections = connections;
    this.#key = key;
    this.#timeoutSeconds = timeoutSeconds;
  }

  request(method: Asked["method"], target: string, { purpose, otherwise = TRY_BY_HAND }: Purpose): PlatformRequest {
    const asked: Asked = { method, path: target.replace(/\?.*/, ""), purpose, otherwise, bytes: 0 };
    return {
      json: async (body) => {
        const { status, data } = await this.#ask(asked, target, body);
        const text = data.toString("utf8").trim();
        if (text === "") return null;
        try {
          return JSON.parse(text) as unknown;
        } catch {
          throw notTheApi(asked, status, this.#quotable(text));
        }
      },
      zip: async () => {
        const { status, data } = await this.#ask(asked, target);
        if (!data.subarray(0, 2).equals(Buffer.from("PK"))) throw notTheApi(asked, status, "");
        return data;
      },
      missing: (what) => {
        throw unexpected(asked, what);
      },
    };
  }

  close(): void {
    this.#connections.close();
  }

  async #ask(asked: Asked, target: string, body?: object): Promise<{ status: number; data: Buffer }> {
    const sent = body === undefined ? undefined : JSON.stringify(body);
    asked.bytes = sent?.length ?? 0;
    const answer = await this.#send(asked, target, sent);
    if (answer.status >= 200 && answer.status <= 299) return answer;
    const location: unknown = answer.headers["location"];
    throw refused(asked, {
      status: answer.status,
      location: typeof location === "string" ? this.#quotable(location) : undefined,
      words: this.#quotable(answer.data.toString("utf8").trim()),
    });
  }

  async #send(asked: Asked, target: string, data: string | undefined) {
    try {
      const agent = await this.#connections.get();
      return await axios.request<Buffer>({
        method: asked.method,
        url: `${this.#address.origin}${target}`,
        headers: {
          Accept: "application/json",
          AppKey: this.#key.reveal(),
          ...(data === undefined ? {} : { "Content-Type": "application/json" }),
        },
        data,
        adapter: "http",
        httpAgent: agent,
        httpsAgent: agent,
        proxy: false,
        // The key would go where the redirect leads.
        maxRedirects: 0,
        maxBodyLength: Infinity,
        timeout: this.#timeoutSeconds * 1000,
        responseType: "arraybuffer",
        transformResponse: [],
        validateStatus: null,
      });
    } catch (error) {
      const late = axios.isAxiosError(error) && error.code === AxiosError.ECONNABORTED;
      throw late ? tooLate(asked, this.#timeoutSeconds) : unreachable(asked, error);
    }
  }

  /** What somebody else wrote, fit for one line of a terminal; a page is left out. */
  #quotable(text: string): string {
    if (/^<(!doctype|html|\?xml)/i.test(text)) return "";
    return oneLine(text.replaceAll(this.#key.reveal(), "[redacted]"), LONGEST_QUOTE);
  }
}

import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";
import { type Access, accessTokenAccess, apiKeyAccess } from "../../src/deploy/access.ts";
import { parseTarget, type Target } from "../../src/deploy/target.ts";
import { zip } from "../../src/packaging/zip.ts";
import { startServer } from "../support/raw-server.ts";
import { readZip, type ZipEntry } from "../support/unzip.ts";
import { type Body, type Call, check, Violation } from "./contract.ts";

/** The API key, and the access token. */
export const KEY = "canary-app-key-5f2e";

export interface Answer {
  status: number;
  body?: string | Buffer;
  headers?: Record<string, string>;
  /** Take the request and say nothing. */
  silent?: boolean;
}

/**
 * A stand-in for the SOAR platform, as strict as the contract of one of its APIs: a request that differs from it in anything
 * is answered with 400 and kept in `violations`.
 */
export interface StandIn {
  root: string;
  /** What a person enters. */
  address: string;
  target: Target;
  access: Access;
  integrations: Installed[];
  /** What is modelled for whose events. */
  records: Body[];
  rules: Body[];
  /** Zips by identifier. */
  playbooks: Map<string, { name: string; zip: string }>;
  requests: string[];
  violations: string[];
  /** Answers instead of the platform's own, by "METHOD path". */
  answers: Map<string, Answer>;
  close(): Promise<void>;
}

/** An installed integration with the files of its package. */
export interface Installed {
  identifier: unknown;
  version: unknown;
  files: ZipEntry[];
}

/** What differs between the two APIs. */
export interface Contract {
  generation: Target["generation"];
  address: (root: string) => string;
  records: Body[];
  /** @returns what is answered; null for no content, undefined when there is no such thing */
  answer: (platform: StandIn, call: Call) => Promise<unknown>;
}

/** A platform without anything of ours. */
export async function startStandIn({ generation, address, records, answer }: Contract): Promise<StandIn> {
  const server = await startServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      platform.violations.push(String(error));
      response.destroy();
    });
  });
  const given = address(server.url);
  const platform: StandIn = {
    root: server.url,
    address: given,
    target: parseTarget(given, server.url),
    access: generation === "legacy" ? apiKeyAccess(KEY) : accessTokenAccess(KEY),
    integrations: [],
    records,
    rules: [],
    playbooks: new Map(),
    requests: [],
    violations: [],
    answers: new Map(),
    close: () => server.close(),
  };

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path = "", query = ""] = (request.url ?? "").split("?");
    const name = `${request.method} ${path}`;
    const body = await buffer(request);
    platform.requests.push(name);
    const own = platform.answers.get(name);
    if (own?.silent) return;
    const reply = own ?? (await checked({ name, query, body, headers: request.headers }));
    response.writeHead(reply.status, { "Content-Type": "application/json", ...reply.headers }).end(reply.body ?? "");
  }

  async function checked(call: Call): Promise<Answer> {
    try {
      check(!`${call.name}?${call.query}`.includes(KEY), "the key is in the URL");
      if (call.name.startsWith("GET ")) check(call.body.length === 0, "a GET has a body");
      const value = await answer(platform, call);
      if (value === undefined) return { status: 404 };
      if (value === null) return { status: 204 };
      return { status: 200, body: Buffer.isBuffer(value) ? value : JSON.stringify(value) };
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      platform.violations.push(`${call.name}: ${error.message}`);
      return { status: 400, body: JSON.stringify({ errorMessage: error.message }) };
    }
  }
  return platform;
}

/** Puts a package in the place of the one with its identifier. */
export async function install(platform: StandIn, package_: Buffer): Promise<void> {
  const { Identifier: identifier, Version: version } = await definitionIn(package_);
  const files = await readZip(package_);
  platform.integrations = platform.integrations.filter((installed) => installed.identifier !== identifier);
  platform.integrations.push({ identifier, version, files });
}

/** @returns the identifiers of the playbooks in a zip, which are stored */
export async function storePlaybooks(platform: StandIn, given: Buffer): Promise<string[]> {
  const identifiers: string[] = [];
  for (const { path, content } of await unzipped(given)) {
    check(/^[a-z0-9_]+\.json$/.test(path), `${path} lies in the zip`);
    const { Definition } = JSON.parse(content) as { Definition: { Identifier: string; Name: string } };
    platform.playbooks.set(Definition.Identifier, { name: Definition.Name, zip: given.toString("base64") });
    identifiers.push(Definition.Identifier);
  }
  return identifiers;
}

/** The playbooks as both APIs list them. */
export function cardsOf({ playbooks }: StandIn): Body[] {
  return [...playbooks].map(([identifier, { name }]) => ({ identifier, name }));
}

/** A stored playbook as both APIs export it: a zip in Base64. */
export function playbookOf({ playbooks }: StandIn, identifier = ""): string {
  const playbook = playbooks.get(identifier);
  check(playbook !== undefined, "there is no such playbook");
  return playbook.zip;
}

export async function definitionIn(given: Buffer): Promise<Body> {
  const entries = await unzipped(given);
  const definition = entries.find(({ path }) => /^Integration-[^/]+\.def$/.test(path));
  check(definition !== undefined, "no Integration-….def lies in the root of the zip");
  return parsed(definition.content);
}

/** What the platform has exported begins with a byte order mark. */
function parsed(definition: string): Body {
  return JSON.parse(definition.replace(/^\uFEFF/, "")) as Body;
}

async function unzipped(given: Buffer): Promise<{ path: string; content: string }[]> {
  const entries = await readZip(given).catch(() => null);
  check(entries !== null, "no zip");
  return entries.map(({ path, content }) => ({ path, content: content.toString("utf8") }));
}

/**
 * An installed integration as the platform exports it: no widgets, mapping rules, families and release notes; definitions
 * and scripts are called like the action, and definitions have ids, times, a byte order mark and fields in another order.
 * Undefined when it is not installed.
 */
export function exportOf(platform: StandIn, identifier: string): Promise<Buffer> | undefined {
  const files = platform.integrations.find((installed) => installed.identifier === identifier)?.files;
  if (files === undefined) return undefined;
  const names = new Map(
    files
      .filter(({ path }) => /\.(action|connector|job)def$/.test(path))
      .map(({ path, content }) => [stem(path), String(parsed(content.toString())["Name"])]),
  );
  const kept = files.filter(({ path }) =>
    /^(Integration-|Actions|Connectors|Jobs|Managers\/|Dependencies\/)/.test(path),
  );
  return zip(
    kept.map(({ path, content }) => {
      const name = /^(Actions|Connectors|Jobs)/.test(path) ? (names.get(stem(path)) ?? stem(path)) : stem(path);
      return {
        path: path.replace(stem(path), () => name).replace("JobsScrips", "JobsScripts"),
        content: path.endsWith("def")
          ? exportedDefinition(content)
          : content.toString("utf8").replace(/\r?\n/g, "\r\n"),
      };
    }),
  );
}

function exportedDefinition(content: Buffer): string {
  const definition = parsed(content.toString());
  for (const list of ["Parameters", "IntegrationProperties"]) {
    if (!Array.isArray(definition[list])) continue;
    definition[list] = (definition[list] as Body[]).reverse().map((item, id) => ({ Id: id, ...item }));
  }
  delete definition["DefaultResultValue"];
  return `\uFEFF${JSON.stringify({ Id: 12, CreationTimeUnixTimeInMs: 1_790_000_000_000, ...definition })}`;
}

function stem(path: string): string {
  return path.replace(/^.*\//, "").replace(/\.[^.]+$/, "");
}

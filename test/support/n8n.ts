import { afterAll, beforeAll, jest } from "@jest/globals";
import axios from "axios";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import type { Readable } from "node:stream";
import type {
  AuthenticatedRequest,
  CredentialData,
  CredentialTestFunctions,
  ExecuteFunctions,
  HttpRequestOptions,
  Item,
  LegacyRequestOptions,
  NodeDescription,
  PollFunctions,
  StreamedResponse,
} from "../../src/packaging/n8n/node/n8n.ts";
import type { Json } from "../../src/runtime/protocol.ts";
import { filesInTarball } from "../../src/packaging/tarball.ts";
import { kept, packageIn, packageInto } from "./package.ts";

/** The package for n8n, built from the sources as they are, and what n8n loads from it. */
export interface N8nPackage {
  tarball: Buffer;
  /** Contents by path inside the package. */
  files: Map<string, Buffer>;
  node: {
    description: NodeDescription;
    methods: {
      credentialTest: Record<string, (this: CredentialTestFunctions, credential: object) => Promise<TestResult>>;
    };
    execute(this: ExecuteFunctions): Promise<Item[][]>;
  };
  trigger: { description: NodeDescription; poll(this: PollFunctions): Promise<Item[][] | null> };
  credential: {
    name: string;
    properties: { name: string; typeOptions?: object }[];
    authenticate(credential: CredentialData, request: AuthenticatedRequest): Promise<AuthenticatedRequest>;
  };
}

interface TestResult {
  status: string;
  message: string;
}

/** What n8n-workflow has of it: the errors keep what they were made with. */
const N8N_WORKFLOW = `
class NodeError extends Error {
  constructor(node, cause, { message, ...options }) { super(message); Object.assign(this, { node, cause, ...options }); }
}
exports.NodeApiError = class NodeApiError extends NodeError { name = "NodeApiError"; };
exports.NodeOperationError = class NodeOperationError extends NodeError { name = "NodeOperationError"; };
`;

/** Builds the package, unpacks it as npm does, and loads it as n8n does. */
export async function loadN8nPackage(): Promise<N8nPackage> {
  const home = await kept("n8n", async (folder) => {
    const file = await packageInto(folder, "n8n");
    for (const { path, content } of filesInTarball(await readFile(file))) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), content);
    }
    const workflow = join(folder, "node_modules", "n8n-workflow");
    await mkdir(workflow, { recursive: true });
    await writeFile(join(workflow, "index.js"), N8N_WORKFLOW);
  });
  const tarball = await readFile(packageIn(home, "n8n"));
  const files = new Map(filesInTarball(tarball).map(({ path, content }) => [path.replace("package/", ""), content]));
  const { n8n: loaded } = JSON.parse(String(files.get("package.json"))) as {
    n8n: { nodes: string[]; credentials: string[] };
  };
  const require = createRequire(join(home, "package", "package.json"));
  const made = [...loaded.nodes, ...loaded.credentials].map((path) => {
    const classes = require(join(home, "package", path)) as Record<string, new () => unknown>;
    const Class = classes[/(\w+)\.\w+\.js$/.exec(path)?.[1] ?? ""];
    if (Class === undefined) throw new Error(`${path} has no class of its name`);
    return new Class();
  });
  const [node, trigger, credential] = made as [N8nPackage["node"], N8nPackage["trigger"], N8nPackage["credential"]];
  return { tarball, files, node, trigger, credential };
}

/** The request helper of n8n 2.41, as far as it matters here: axios with these options. */
export async function httpRequest(options: HttpRequestOptions): Promise<StreamedResponse> {
  const { url, method = "GET", headers = {}, abortSignal } = options;
  if (options.returnFullResponse !== true || options.ignoreHttpStatusErrors !== true || options.encoding !== "stream")
    throw new Error("The fake knows whole, streamed responses only");
  return streamed({ url, method, headers, ...(abortSignal && { signal: abortSignal }) });
}

/** The older request helper, in the same way. */
export async function legacyRequest({
  uri,
  method = "GET",
  headers = {},
}: LegacyRequestOptions): Promise<StreamedResponse> {
  return streamed({ url: uri, method, headers });
}

async function streamed(request: {
  url: string;
  method: string;
  headers: Record<string, string>;
  signal?: AbortSignal;
}): Promise<StreamedResponse> {
  const { status, headers, data } = await axios.request<Readable>({
    ...request,
    adapter: "http",
    responseType: "stream",
    maxRedirects: 0,
    validateStatus: () => true,
  });
  return { statusCode: status, headers, body: data };
}

interface FakeOptions {
  credential: CredentialData;
  parameters?: Record<string, unknown> | ((item: number) => Record<string, unknown>);
  input?: Item[];
  continueOnFail?: boolean;
  cancelled?: AbortSignal;
  send?: (options: HttpRequestOptions) => Promise<unknown>;
}

/** What n8n gives `execute`. A parameter that was not set has the value of its property, as in n8n. */
export function executeFunctions(
  { properties }: NodeDescription,
  {
    credential,
    parameters = {},
    input = [{ json: {} }],
    continueOnFail = false,
    cancelled,
    send = httpRequest,
  }: FakeOptions,
): ExecuteFunctions & { logged: string[] } {
  const logged: string[] = [];
  const log = (message: string, fields?: object) => {
    logged.push(`${message} ${JSON.stringify(fields)}`);
  };
  const at = (item: number) => (typeof parameters === "function" ? parameters(item) : parameters);
  return {
    logged,
    getNode: () => ({ id: "node", name: "Attack Path Analysis" }),
    getCredentials: () => Promise.resolve(credential),
    logger: { warn: log, error: log },
    helpers: { httpRequest: send },
    getInputData: () => input,
    getNodeParameter: (name, item, fallback) => {
      const operation = String(at(item)["operation"]);
      const property = properties.find(
        (each) => each.name === name && (each.displayOptions?.show["operation"]?.includes(operation) ?? true),
      );
      if (property === undefined && fallback === undefined) throw new Error(`Could not get parameter ${name}`);
      return Object.hasOwn(at(item), name) ? at(item)[name] : (property?.default ?? fallback);
    },
    continueOnFail: () => continueOnFail,
    ...(cancelled && { getExecutionCancelSignal: () => cancelled }),
  };
}

/** What n8n gives `poll`, with a memory and a log of its own. */
export function pollFunctions(
  { properties }: NodeDescription,
  credential: CredentialData,
  {
    mode = "trigger",
    parameters = {},
    ...rest
  }: Partial<PollFunctions> & { mode?: string; parameters?: Record<string, unknown> } = {},
): PollFunctions & { memory: Record<string, Json>; logged: string[] } {
  const memory = {};
  const logged: string[] = [];
  const log = (message: string) => {
    logged.push(message);
  };
  return {
    memory,
    logged,
    getNode: () => ({ id: "node", name: "Trigger" }),
    getWorkflow: () => ({ id: "workflow", name: "Findings" }),
    getCredentials: () => Promise.resolve(credential),
    logger: { warn: log, error: log },
    helpers: { httpRequest },
    getNodeParameter: (name, fallback) =>
      parameters[name] ?? properties.find((each) => each.name === name)?.default ?? fallback,
    getMode: () => mode,
    getWorkflowStaticData: () => memory,
    ...rest,
  };
}

/** The package asks the clock of its machine, and the tenant goes by the same. A test sets how far that clock is ahead. */
export function movableClock(): { aheadMs: number } {
  const clock = { aheadMs: 0 };
  beforeAll(() => {
    const real = Date.now.bind(Date);
    jest.spyOn(Date, "now").mockImplementation(() => real() + clock.aheadMs);
  });
  afterAll(() => {
    jest.restoreAllMocks();
  });
  return clock;
}

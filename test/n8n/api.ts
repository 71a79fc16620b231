import { until } from "./until.ts";

const BOOT_MS = 240_000;
const EXECUTION_MS = 120_000;
const MOST_ROWS = 250;
const ENDS = ["success", "error", "crashed", "canceled"];

/** The owner of every n8n here. */
export const OWNER = { email: "owner@example.test", firstName: "Ada", lastName: "Owner", password: "Only-for-1-test" };
/** The credential's type. */
export const TYPE = "attackPathAnalysisApi";

/** A workflow as a file holds it. */
export interface Workflow {
  name: string;
  nodes: { name: string; type: string; parameters: Record<string, unknown>; credentials?: object }[];
  connections: object;
  settings: object;
  pinData?: object;
}

/** How an execution ended, and its data as text. */
export interface Execution {
  status: string;
  data: string;
}

/** The interface that n8n's pages use, with the owner signed in. */
export class N8nApi {
  readonly #url: string;
  #cookie = "";

  constructor(url: string) {
    this.#url = url;
  }

  /** Waits until n8n has started, and makes the owner. */
  async signUp(): Promise<void> {
    await this.ready();
    await this.call("POST", "/rest/owner/setup", OWNER);
  }

  /** Waits until n8n has started. */
  async ready(): Promise<void> {
    // Also while the database is being made, n8n answers with a page.
    await until("n8n starts", BOOT_MS, () =>
      this.call("GET", "/rest/settings").then(
        () => true,
        () => false,
      ),
    );
  }

  /** The data of a response. */
  async call(method: string, path: string, body?: object): Promise<unknown> {
    const response = await fetch(this.#url + path, {
      method,
      headers: { "content-type": "application/json", "browser-id": "test", cookie: this.#cookie },
      ...(body && { body: JSON.stringify(body) }),
    });
    const cookies = response.headers.getSetCookie();
    if (cookies.length > 0) this.#cookie = cookies.map((cookie) => cookie.split(";")[0]).join("; ");
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    const parsed = JSON.parse(text) as { data?: unknown };
    return parsed.data ?? parsed;
  }

  /** Saves a credential and returns its id. */
  async addCredential(data: object): Promise<string> {
    return ((await this.call("POST", "/rest/credentials", { name: "Tenant", type: TYPE, data })) as { id: string }).id;
  }

  /** Saves a workflow whose nodes use a credential. */
  async addWorkflow({ nodes, ...rest }: Workflow, credential: string): Promise<{ id: string; versionId: string }> {
    const credentials = { [TYPE]: { id: credential, name: "Tenant" } };
    const own = nodes.map((node) => (node.type.includes("attackPath") ? { ...node, credentials } : node));
    return (await this.call("POST", "/rest/workflows", { ...rest, nodes: own })) as { id: string; versionId: string };
  }

  /** Runs a saved workflow from its first node, as somebody does in the editor. */
  async execute(workflow: { id: string }, start: string): Promise<Execution> {
    const saved = (await this.call("GET", `/rest/workflows/${workflow.id}`)) as object;
    const body = { workflowData: saved, triggerToStartFrom: { name: start } };
    const begun = (await this.call("POST", `/rest/workflows/${workflow.id}/run`, body)) as { executionId: string };
    return this.ended(begun.executionId);
  }

  /** The rows of a Data Table. */
  async rows(name: string): Promise<Record<string, unknown>[]> {
    const { data: tables } = (await this.call("GET", "/rest/data-tables-global")) as {
      data: { id: string; name: string; projectId: string }[];
    };
    const { id, projectId } = tables.find((table) => table.name === name) ?? {};
    const path = `/rest/projects/${projectId}/data-tables/${id}/rows?take=${MOST_ROWS}`;
    return ((await this.call("GET", path)) as { data: Record<string, unknown>[] }).data;
  }

  /** Waits for the end of an execution. */
  async ended(id: string): Promise<Execution> {
    return until("the execution ends", EXECUTION_MS, async () => {
      const found = (await this.call("GET", `/rest/executions/${id}`)) as Execution;
      return ENDS.includes(found.status) && found;
    });
  }
}

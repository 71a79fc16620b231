import { NotFoundError, ServiceError } from "../../service/errors/errors.ts";
import type { Environment } from "../../service/resources/environments.records.ts";
import { NOT_REQUESTED } from "../../service/resources/requested-findings.ts";
import { unreadable as unreadableError } from "../../service/responses/response-body.ts";
import { WITHOUT_NAME } from "../list-end.ts";
import { type Check, type CheckResult, ok, skipped, warning } from "./check.ts";
import { type Examination, type SampleStream, unlessFailed } from "./examination.ts";
import { type Attempt, type JudgedOperation, resultOf } from "./operation-result.ts";

/** Environments that are asked about one by one; a tenant with more is judged by these. */
const MOST_ENVIRONMENTS = 25;
/** Fewer findings per request than this make a first run slow. */
const SMALL_PAGE = 100;

/** An operation of the service and who uses it. */
interface OperationCheck extends JudgedOperation {
  readonly operation: string;
  /** Names of the checks without which it cannot be tried. */
  readonly needs?: readonly string[];
  /** Why it may be that there is nothing to ask about, behind "Not tried:"; default: no finding type. */
  readonly untried?: string;
  /** One entry per environment, or a single one: how the operation went. */
  ask(examination: Examination): Promise<readonly Attempt[]>;
}

/** What an operation is tried on comes from the lists of finding types. */
const needsTypes = ["permission:available-types"];

const TYPES = "GET /api/v2/domains/{domain_id}/available-types";

const operations: readonly OperationCheck[] = [
  {
    operation: "available-types",
    request: TYPES,
    usedBy: "the connector",
    required: true,
    missing: {
      cause: `The service has no finding types: it answers 404 to ${TYPES}. BloodHound Community Edition does that, because it has no attack path findings.`,
      fix: "Use a tenant of BloodHound Enterprise. If this is one, check that Server is the tenant's own address.",
    },
    ask: async (examination) => {
      const environments = await tried(examination);
      return Promise.all(environments.map(({ id, name }) => attempt(name ?? id, () => listTypes(examination, id))));
    },
  },
  {
    operation: "details",
    request: "GET /api/v2/domains/{domain_id}/details",
    usedBy: "the connector",
    required: true,
    needs: needsTypes,
    ask: async (examination) => {
      const environments = await tried(examination);
      return (await Promise.all(environments.map((environment) => readFindings(examination, environment)))).flat();
    },
  },
  {
    operation: "sparkline",
    request: "GET /api/v2/domains/{domain_id}/sparkline",
    usedBy: "the connector",
    needs: needsTypes,
    ask: (examination) =>
      onSample(examination, (stream) => examination.service.findings.sparkline(stream, { required: true })),
  },
  {
    operation: "title",
    request: "GET /api/v2/assets/findings/{finding_type}/title",
    usedBy: "the connector",
    needs: needsTypes,
    ask: (examination) =>
      onSample(examination, async ({ findingType }) => {
        await examination.service.documents.read(findingType, "title", { required: true });
        // To the client, a document that is missing is an empty text.
        if (examination.exchanges.at(-1)?.status === 404)
          throw new NotFoundError("Not found.", { whoActs: "service", status: 404 });
      }),
  },
  {
    operation: "search",
    request: "GET /api/v2/search",
    usedBy: "the actions",
    ask: (examination) =>
      onEnvironment(examination, null, (text) => examination.service.objects.search({ text, limit: 1 })),
  },
  {
    operation: "shortest-path",
    request: "GET /api/v2/graphs/shortest-path",
    usedBy: "the actions",
    ask: (examination) =>
      onEnvironment(examination, null, (id) => examination.service.paths.shortest(id, id, { onlyTraversable: true })),
  },
  {
    operation: "domains",
    request: "GET /api/v2/domains/{object_id}",
    usedBy: "the actions",
    untried: "no environment with collected data is a directory domain",
    ask: (examination) =>
      onEnvironment(examination, "active-directory", (id) =>
        examination.service.entities.directory("domains", id, { counts: false }),
      ),
  },
  {
    operation: "azure",
    request: "GET /api/v2/azure/{entity_type}",
    usedBy: "the actions",
    untried: "no environment with collected data is a cloud tenant",
    ask: (examination) =>
      onEnvironment(examination, "azure", (id) => examination.service.entities.azure("tenants", id, { counts: false })),
  },
  {
    operation: "meta-trees",
    request: "GET /api/v2/meta-trees/{domain_id}",
    usedBy: "the command line",
    ask: (examination) => onEnvironment(examination, null, (id) => examination.service.graph.metaTree(id)),
  },
  {
    operation: "saml",
    request: "GET /api/v2/saml",
    usedBy: "the command line",
    ask: async (examination) => [await attemptWhole(() => examination.service.sso.listSamlProviders())],
  },
  {
    operation: "tasks/current",
    request: "GET /api/v2/tasks/current",
    usedBy: "the command line",
    ask: async (examination) => [await attemptWhole(() => examination.service.clientTasks.current())],
  },
];

/** Whether the credentials may use each operation, and how much one answer holds. */
export const permissionChecks: readonly Check[] = [
  ...operations.map((operation): Check => ({
    name: `permission:${operation.operation}`,
    title: `Permission: ${operation.operation}`,
    needs: ["environments", ...(operation.needs ?? [])],
    required: operation.required ?? false,
    run: async (examination) => resultOf(operation, await operation.ask(examination), operation.untried),
  })),
  {
    name: "page-size",
    title: "Page size",
    needs: ["permission:details"],
    required: false,
    run: checkPageSize,
  },
];

async function tried(examination: Examination): Promise<readonly Environment[]> {
  return (await examination.collected()).slice(0, MOST_ENVIRONMENTS);
}

/** @returns what is missing of the list; null when nothing is */
async function listTypes(examination: Examination, environmentId: string): Promise<ServiceError | null> {
  const { types, unreadable, incomplete } = await examination.types(environmentId);
  const error = incomplete ?? (unreadable > 0 ? unreadableError(unreadable, WITHOUT_NAME) : null);
  if (error !== null && types.length === 0) throw error;
  return error;
}

/** Reads as the connector does, which refuses findings that belong to another stream; nothing where there is no stream. */
async function readFindings(examination: Examination, { id, name }: Environment): Promise<Attempt[]> {
  const stream = await examination.streamOf(id);
  if (stream === null) return [];
  const read = async (): Promise<ServiceError | null> => {
    const { granted, unreadable } = await examination.fewFindings(stream);
    if (unreadable === 0) return null;
    const error = unreadableError(unreadable, NOT_REQUESTED);
    if (unreadable === granted) throw error;
    return error;
  };
  return [await attempt(name ?? id, read)];
}

async function onSample(examination: Examination, ask: (stream: SampleStream) => Promise<unknown>): Promise<Attempt[]> {
  const stream = await examination.sample();
  return stream === null ? [] : [await attemptWhole(() => ask(stream))];
}

async function onEnvironment(
  examination: Examination,
  type: string | null,
  ask: (id: string) => Promise<unknown>,
): Promise<Attempt[]> {
  const id = await examination.environmentOf(type);
  return id === null ? [] : [await attemptWhole(() => ask(id))];
}

/** An operation that gives all of its answer or none. */
function attemptWhole(ask: () => Promise<unknown>): Promise<Attempt> {
  return attempt(null, async () => {
    await ask();
    return null;
  });
}

/** @param ask - gives the error of what is missing in the answer, or null; rejects when all of it is missing */
async function attempt(environment: string | null, ask: () => Promise<ServiceError | null>): Promise<Attempt> {
  try {
    return { environment, error: await ask(), works: true };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { environment, error, works: false };
  }
}

async function checkPageSize(examination: Examination): Promise<CheckResult> {
  const stream = await readableStream(examination);
  if (stream === null) return skipped("Not tried: the service lists no finding type to try it on.");
  const { granted, total } = await examination.firstPage(stream);
  const facts = { granted, total };
  if (granted === 0) return skipped("The stream that was tried has no findings at the moment.", facts);
  if (total === null)
    return ok(`One answer held ${granted} findings of a stream. The service does not count them.`, facts);
  if (total <= granted) return ok(`One answer held all findings of a stream (${granted}).`, facts);
  const text = `The service grants ${granted} findings per request.`;
  return granted < SMALL_PAGE
    ? warning(text, "A first run takes many requests. Allow it more time, or several runs.", facts)
    : ok(text, facts);
}

/** The first stream whose findings the check of `details` could read; null without any. */
async function readableStream(examination: Examination): Promise<SampleStream | null> {
  for (const { id } of await tried(examination)) {
    const stream = await examination.streamOf(id);
    if (stream !== null && (await unlessFailed(examination.fewFindings(stream))) !== null) return stream;
  }
  return null;
}

import { NotFoundError, ServiceError } from "../../service/errors/errors.ts";
import type { Environment } from "../../service/resources/environments.records.ts";
import { NOT_REQUESTED } from "../../service/resources/requested-findings.ts";
import { unreadable as unreadableError } from "../../service/resources/response-body.ts";
import { WITHOUT_NAME } from "../list-end.ts";
import { type Check, type CheckResult, failed, ok, warning } from "./check.ts";
import { type Examination, type SampleStream, unlessFailed } from "./examination.ts";

/** Environments that are asked about one by one; a tenant with more is judged by these. */
const MOST_ENVIRONMENTS = 25;
/** Fewer findings per request than this make a first run slow. */
const SMALL_PAGE = 100;

/** An operation of the service and who uses it. */
interface OperationCheck {
  readonly operation: string;
  readonly usedBy: "the connector" | "the actions" | "the command line";
  /** Whether the connector cannot run without it. */
  readonly required?: boolean;
  /** Names of the checks without which it cannot be tried. */
  readonly needs?: readonly string[];
  /** One entry per environment, or a single one: how the operation went. */
  ask(examination: Examination): Promise<readonly Attempt[]>;
}

/** The error of an operation, or null; and the environment that it was about. */
interface Attempt {
  readonly environment: string | null;
  readonly error: ServiceError | null;
  /** Whether the answer, or some of it, can be used. */
  readonly works: boolean;
}

/** What an operation is tried on comes from the lists of finding types. */
const needsTypes = ["permission:available-types"];

const operations: readonly OperationCheck[] = [
  {
    operation: "available-types",
    usedBy: "the connector",
    required: true,
    ask: async (examination) => {
      const environments = await tried(examination);
      return Promise.all(environments.map(({ id, name }) => attempt(name ?? id, () => listTypes(examination, id))));
    },
  },
  {
    operation: "details",
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
    usedBy: "the connector",
    needs: needsTypes,
    ask: (examination) =>
      onSample(examination, (stream) => examination.service.findings.sparkline(stream, { required: true })),
  },
  {
    operation: "title",
    usedBy: "the connector",
    needs: needsTypes,
    ask: (examination) =>
      onSample(examination, ({ findingType }) =>
        examination.service.documents.read(findingType, "title", { required: true }),
      ),
  },
  {
    operation: "search",
    usedBy: "the actions",
    needs: needsTypes,
    ask: (examination) =>
      onSample(examination, ({ environmentId: text }) => examination.service.objects.search({ text, limit: 1 })),
  },
  {
    operation: "shortest-path",
    usedBy: "the actions",
    needs: needsTypes,
    ask: (examination) => onSample(examination, ({ environmentId: id }) => examination.service.paths.shortest(id, id)),
  },
  {
    operation: "domains",
    usedBy: "the actions",
    needs: needsTypes,
    ask: (examination) =>
      onSample(examination, ({ environmentId }) =>
        examination.service.entities.directory("domains", environmentId, { counts: false }),
      ),
  },
  {
    operation: "azure",
    usedBy: "the actions",
    needs: needsTypes,
    ask: (examination) =>
      onSample(examination, ({ environmentId }) =>
        examination.service.entities.azure("tenants", environmentId, { counts: false }),
      ),
  },
  {
    operation: "meta-trees",
    usedBy: "the command line",
    needs: needsTypes,
    ask: (examination) =>
      onSample(examination, ({ environmentId }) => examination.service.graph.metaTree(environmentId)),
  },
  {
    operation: "saml",
    usedBy: "the command line",
    ask: async (examination) => [await attemptWhole(() => examination.service.sso.listSamlProviders())],
  },
  {
    operation: "tasks/current",
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
    run: async (examination) => judge(operation, await operation.ask(examination)),
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

/**
 * Whether the service answered this after it checked the permission: the object of the question is not there, or not of this kind. A 404 that is not
 * its own means that it has no such operation. The connector asks only about what the service has just listed, so it has no such excuse.
 */
function isAllowed(error: ServiceError): boolean {
  return error.code === "bad_request" || (error instanceof NotFoundError && error.wrapped);
}

function judge({ usedBy, required = false }: OperationCheck, attempts: readonly Attempt[]): CheckResult {
  if (attempts.length === 0) return ok("Not tried: the service lists no finding type to try it on.");
  const problems = attempts.filter(({ error }) => error !== null && (required || !isAllowed(error)));
  const [problem] = problems;
  const facts = { usedBy, tried: attempts.length, failed: problems.length };
  if (problem?.error == null) return ok(`Allowed. Used by ${usedBy}.`, facts);
  const names = problems.flatMap(({ environment }) => environment ?? []).slice(0, 5);
  const place = names.length === 0 || problems.length === attempts.length ? "" : `${names.join(", ")}: `;
  const { cause, fix } = explain(problem.error);
  const tell = required && !attempts.some(({ works }) => works) ? failed : warning;
  return tell(`${place}${cause} Used by ${usedBy}.`, fix, { ...facts, code: problem.error.code });
}

const LATER = "Run this check again later. If it keeps failing, contact the support of the service.";

function explain({ code, message, wrapped, status }: ServiceError): { cause: string; fix: string } {
  switch (code) {
    case "forbidden":
      return { cause: message, fix: "Give the user of the token the role Auditor, or another that may read this." };
    case "not_found":
      return wrapped
        ? { cause: `The service does not know what it has just listed (status ${status}).`, fix: LATER }
        : {
            cause: "The service does not offer this operation (status 404).",
            fix: "Update the service, or do without what needs this operation.",
          };
    case "bad_request":
      return { cause: `The service rejects the requests that the connector sends (status ${status}).`, fix: LATER };
    default:
      return { cause: message, fix: LATER };
  }
}

async function checkPageSize(examination: Examination): Promise<CheckResult> {
  const stream = await readableStream(examination);
  if (stream === null) return ok("Not tried: the service lists no finding type to try it on.");
  const { granted, total } = await examination.firstPage(stream);
  const facts = { granted, total };
  if (granted === 0) return ok("The stream that was tried has no findings at the moment.", facts);
  if (total === null || total <= granted) return ok(`One answer held all findings of a stream (${granted}).`, facts);
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

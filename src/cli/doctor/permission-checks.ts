import { NotFoundError, ServiceError } from "../../service/errors/errors.ts";
import { type Check, type CheckResult, failed, ok, warning } from "./check.ts";
import type { Examination } from "./examination.ts";

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
  /** One entry per environment, or a single one: how the operation went. */
  ask(examination: Examination): Promise<readonly Attempt[]>;
}

/** The error of an operation, or null; and the environment that it was about. */
interface Attempt {
  readonly environment: string | null;
  readonly error: ServiceError | null;
}

const operations: readonly OperationCheck[] = [
  {
    operation: "available-types",
    usedBy: "the connector",
    required: true,
    ask: (examination) => inEach(examination, (environmentId) => examination.types(environmentId)),
  },
  {
    operation: "details",
    usedBy: "the connector",
    required: true,
    ask: (examination) =>
      inEach(examination, async (environmentId) => {
        const [findingType] = await examination.types(environmentId);
        if (findingType !== undefined)
          await examination.service.findings.newest({ environmentId, findingType }, { required: true });
      }),
  },
  {
    operation: "sparkline",
    usedBy: "the connector",
    ask: (examination) =>
      onSample(examination, (stream) => examination.service.findings.sparkline(stream, { required: true })),
  },
  {
    operation: "title",
    usedBy: "the connector",
    ask: (examination) =>
      onSample(examination, ({ findingType }) =>
        examination.service.documents.read(findingType, "title", { required: true }),
      ),
  },
  {
    operation: "search",
    usedBy: "the actions",
    ask: (examination) =>
      onSample(examination, ({ environmentId: text }) => examination.service.objects.search({ text, limit: 1 })),
  },
  {
    operation: "shortest-path",
    usedBy: "the actions",
    ask: (examination) => onSample(examination, ({ environmentId: id }) => examination.service.paths.shortest(id, id)),
  },
  {
    operation: "domains",
    usedBy: "the actions",
    ask: (examination) =>
      onSample(examination, ({ environmentId }) =>
        examination.service.entities.directory("domains", environmentId, { counts: false }),
      ),
  },
  {
    operation: "azure",
    usedBy: "the actions",
    ask: (examination) =>
      onSample(examination, ({ environmentId }) =>
        examination.service.entities.azure("tenants", environmentId, { counts: false }),
      ),
  },
  {
    operation: "meta-trees",
    usedBy: "the command line",
    ask: (examination) =>
      onSample(examination, ({ environmentId }) => examination.service.graph.metaTree(environmentId)),
  },
  {
    operation: "saml",
    usedBy: "the command line",
    ask: async (examination) => [await attempt(null, () => examination.service.sso.listSamlProviders())],
  },
  {
    operation: "tasks/current",
    usedBy: "the command line",
    ask: async (examination) => [await attempt(null, () => examination.service.clientTasks.current())],
  },
];

/** Whether the credentials may use each operation, and how much one answer holds. */
export const permissionChecks: readonly Check[] = [
  ...operations.map((operation): Check => ({
    name: `permission:${operation.operation}`,
    title: `Permission: ${operation.operation}`,
    needs: ["environments"],
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

async function inEach(examination: Examination, ask: (environmentId: string) => Promise<unknown>): Promise<Attempt[]> {
  const environments = (await examination.collected()).slice(0, MOST_ENVIRONMENTS);
  return Promise.all(environments.map(({ id, name }) => attempt(name ?? id, () => ask(id))));
}

type SampledStream = NonNullable<Awaited<ReturnType<Examination["sample"]>>>;

async function onSample(
  examination: Examination,
  ask: (stream: SampledStream) => Promise<unknown>,
): Promise<Attempt[]> {
  const stream = await examination.sample();
  return stream === null ? [] : [await attempt(null, () => ask(stream))];
}

async function attempt(environment: string | null, ask: () => Promise<unknown>): Promise<Attempt> {
  try {
    await ask();
    return { environment, error: null };
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return { environment, error };
  }
}

/**
 * Whether the service answered this after it checked the permission: the object of the question is not there, or not of this kind. A 404 that is not
 * its own means that it has no such operation.
 */
function isAllowed(error: ServiceError): boolean {
  return error.code === "bad_request" || (error instanceof NotFoundError && error.wrapped);
}

function judge({ usedBy, required = false }: OperationCheck, attempts: readonly Attempt[]): CheckResult {
  if (attempts.length === 0) return ok("Not tried: no environment has a finding to try it on.");
  const problems = attempts.filter(({ error }) => error !== null && !isAllowed(error));
  const [problem] = problems;
  const facts = { usedBy, tried: attempts.length, failed: problems.length };
  if (problem?.error == null) return ok(`Allowed. Used by ${usedBy}.`, facts);
  const names = problems.flatMap(({ environment }) => environment ?? []).slice(0, 5);
  const place = names.length === 0 || problems.length === attempts.length ? "" : `${names.join(", ")}: `;
  const { cause, fix } = explain(problem.error);
  const tell = required && problems.length === attempts.length ? failed : warning;
  return tell(`${place}${cause} Used by ${usedBy}.`, fix, { ...facts, code: problem.error.code });
}

function explain({ code, message }: ServiceError): { cause: string; fix: string } {
  switch (code) {
    case "forbidden":
      return { cause: message, fix: "Give the user of the token the role Auditor, or another that may read this." };
    case "not_found":
      return {
        cause: "The service does not offer this operation (status 404).",
        fix: "Update the service, or do without what needs this operation.",
      };
    default:
      return {
        cause: message,
        fix: "Run this check again later. If it keeps failing, contact the support of the service.",
      };
  }
}

async function checkPageSize(examination: Examination): Promise<CheckResult> {
  const stream = await examination.sample();
  if (stream === null) return ok("Not tried: no environment has findings.");
  for await (const { findings, total } of examination.service.findings.pages(stream)) {
    if (findings.length === 0) continue;
    const facts = { granted: findings.length, total };
    if (total === null || total <= findings.length) {
      return ok(`One answer held all findings of a stream (${findings.length}).`, facts);
    }
    const text = `The service grants ${findings.length} findings per request.`;
    return findings.length < SMALL_PAGE
      ? warning(text, "A first run takes many requests. Allow it more time, or several runs.", facts)
      : ok(text, facts);
  }
  return ok("The stream that was tried has no findings at the moment.", { granted: 0, total: 0 });
}

import { createHmac, randomBytes } from "node:crypto";
import type {
  AnalysisOptions,
  FindingOverrides,
  TenantClock,
  TenantControl,
  TenantJwt,
  TenantToken,
} from "./contract.ts";
import type { Datapipe } from "./datapipe.ts";
import { CATALOGUE } from "./dataset/catalogue.ts";
import { ACCEPTED_UNTIL } from "./dataset/draft.ts";
import type { Dataset } from "./dataset/dataset.ts";
import type { FaultBook } from "./fault-book.ts";
import type { GraphEdge } from "./graph/graph.ts";
import { formatInstant, fromMilliseconds, type Nanoseconds } from "./instants.ts";
import type { Listener } from "./listener.ts";
import type { RateLimiter } from "./rate-limit.ts";
import type { WireFinding } from "./wire.ts";

export interface ControlParts {
  data: Dataset;
  datapipe: Datapipe;
  tokens: TenantToken[];
  jwts: TenantJwt[];
  limiter: RateLimiter;
  faults: FaultBook;
  clock: TenantClock;
  tuning: { latencyMs: number; clockSkewMs: number; passedMs: number };
}

const TYPES_PER_ANALYSIS = 3;
const DAY_MS = 86_400_000;
/** After so many days without a new collection, the service forgets sessions, and everything else. */
const SESSION_DAYS = 3;
const GRAPH_DAYS = 7;

/** A finding that is gone, with what joined its principals in the graph. */
interface Remediated {
  readonly environmentId: string;
  readonly findingType: string;
  readonly finding: WireFinding;
  readonly edges: readonly GraphEdge[];
}

export function makeControl(parts: ControlParts, listener: Listener): TenantControl {
  const { data, datapipe, faults, limiter, tuning } = parts;
  const remediated: Remediated[] = [];
  const now = (): string => formatInstant(instantOf(parts));
  return {
    addFindings: (environmentId, findingType, records) =>
      data.addFindings(environmentId, findingType, overridesOf(records), now()),
    acceptFinding: (environmentId, findingType, id, until = ACCEPTED_UNTIL) =>
      data.findings(environmentId, findingType)?.change(id, {
        Accepted: true,
        AcceptedUntil: until,
        updated_at: now(),
      }) ?? false,
    deleteFinding: (environmentId, findingType, id) =>
      data.findings(environmentId, findingType)?.change(id, { deleted_at: { time: now(), valid: true } }) ?? false,
    removeFinding: (environmentId, findingType, id) =>
      data.findings(environmentId, findingType)?.remove(id) !== undefined,
    remediateFinding: (environmentId, findingType, id) => {
      const finding = data.findings(environmentId, findingType)?.remove(id);
      if (finding === undefined) return false;
      remediated.push({ environmentId, findingType, finding, edges: edgesOf(data, finding) });
      return true;
    },
    bringFindingBack: (environmentId, findingType, id) => {
      const at = remediated.findIndex(({ finding }) => finding.id === id);
      const [found] = at < 0 ? [] : remediated.splice(at, 1);
      if (found?.environmentId !== environmentId || found.findingType !== findingType) return false;
      for (const { from, kind, to } of found.edges) data.graph.connect(from, kind, to);
      const stamp = { id: data.takeIds(1), created_at: now(), updated_at: now() };
      data.table(environmentId, findingType).add({ ...found.finding, ...stamp });
      return true;
    },
    remediated: () =>
      remediated.map(({ environmentId, findingType, finding }) => ({ environmentId, findingType, finding })),
    stopCollector: (environmentId, days) => {
      tuning.passedMs += days * DAY_MS;
      const forgotten = data.findingTypes(environmentId).filter((type) => days >= GRAPH_DAYS || restsOnSessions(type));
      if (days < SESSION_DAYS) return;
      for (const type of forgotten) data.findings(environmentId, type)?.clear();
      if (days >= GRAPH_DAYS) data.graph.forget(environmentId);
    },
    addFindingType: (environmentId, findingType) => void data.table(environmentId, findingType),
    removeFindingType: (environmentId, findingType) => {
      data.removeFindingType(environmentId, findingType);
    },
    analyse: (environmentId, options) => {
      const added = analyse(data, environmentId, { createdAt: now(), ...options });
      datapipe.end(instantOf(parts));
      return added;
    },
    beginAnalysis: () => {
      datapipe.begin(instantOf(parts));
    },
    endAnalysis: () => {
      datapipe.end(instantOf(parts));
    },
    setAnalysisStatus: (offered) => {
      datapipe.offered = offered;
    },
    renameEnvironment: (environmentId, name) => {
      data.renameEnvironment(environmentId, name);
    },
    removeEnvironment: (environmentId) => {
      data.removeEnvironment(environmentId);
    },
    setDocument: (findingType, kind, text) => {
      const documents = { ...data.documents.get(findingType) };
      if (text === null) Reflect.deleteProperty(documents, kind);
      else documents[kind] = text;
      data.documents.set(findingType, documents);
    },
    forbid: (environmentId, tokenId) => {
      tokenOf(parts, tokenId).forbiddenEnvironments?.push(environmentId);
    },
    allow: (environmentId, tokenId) => {
      const token = tokenOf(parts, tokenId);
      token.forbiddenEnvironments = token.forbiddenEnvironments?.filter((id) => id !== environmentId) ?? [];
    },
    issueJwt: (expiresAt) => {
      const token = makeJwt(expiresAt);
      parts.jwts.push(expiresAt === undefined ? { token } : { token, expiresAt });
      return token;
    },
    fault: (fault) => {
      faults.add(fault);
    },
    clearFaults: () => {
      faults.clear();
    },
    setLatency: (milliseconds) => {
      tuning.latencyMs = milliseconds;
    },
    setRateLimit: (limit) => {
      limiter.options = limit;
    },
    skewClock: (milliseconds) => {
      tuning.clockSkewMs = milliseconds;
    },
    passTime: (milliseconds) => {
      tuning.passedMs += milliseconds;
    },
    goAway: () => listener.close(),
    comeBack: () => listener.open(),
  };
}

/** The tenant's time with a fraction, as a database writes it. */
function instantOf({ clock, tuning }: ControlParts): Nanoseconds {
  return fromMilliseconds(clock.now() + tuning.clockSkewMs + tuning.passedMs) + 123_457n;
}

function overridesOf(records: readonly FindingOverrides[] | number): Record<string, unknown>[] {
  if (typeof records === "number") return Array.from({ length: records }, () => ({}));
  return [...records];
}

function restsOnSessions(findingType: string): boolean {
  const source = CATALOGUE.get(findingType)?.source;
  return source?.form === "relationship" && source.edge === "HasSession";
}

function edgesOf({ graph }: Dataset, finding: WireFinding): GraphEdge[] {
  return "ToPrincipal" in finding ? graph.disconnect(finding.FromPrincipal, finding.ToPrincipal) : [];
}

function tokenOf({ tokens }: ControlParts, tokenId: string | undefined): TenantToken {
  const token = tokenId === undefined ? tokens[0] : tokens.find((candidate) => candidate.id === tokenId);
  if (token === undefined) throw new Error("There is no token with this id.");
  return token;
}

function analyse(
  data: Dataset,
  environmentId: string,
  options: AnalysisOptions & { createdAt: string },
): WireFinding[] {
  const { createdAt, sparkline = true, touch = false, renumber = false } = options;
  const added = Object.entries(newFindings(data, environmentId, options.findings)).flatMap(([findingType, records]) =>
    data.addFindings(environmentId, findingType, overridesOf(records), createdAt),
  );
  if (touch) data.touch(environmentId, createdAt);
  if (renumber) data.renumber(environmentId);
  if (sparkline) data.addSparklinePoints(environmentId, createdAt);
  return added;
}

function newFindings(
  data: Dataset,
  environmentId: string,
  findings: AnalysisOptions["findings"],
): Record<string, FindingOverrides[] | number> {
  if (typeof findings === "object") return findings;
  if (data.graph.isForgotten(environmentId)) return {};
  const types = data.findingTypes(environmentId);
  const some = findings === undefined ? types.slice(0, TYPES_PER_ANALYSIS) : types;
  return Object.fromEntries(some.map((type) => [type, findings ?? 1]));
}

/** A JWT in form; the tenant knows its tokens by heart and reads nothing out of them. */
function makeJwt(expiresAt: number | undefined): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const claims = {
    jti: randomBytes(8).toString("hex"),
    ...(expiresAt === undefined ? {} : { exp: Math.floor(expiresAt / 1000) }),
  };
  const signed = `${part({ alg: "HS256", typ: "JWT" })}.${part(claims)}`;
  return `${signed}.${createHmac("sha256", randomBytes(32)).update(signed).digest("base64url")}`;
}

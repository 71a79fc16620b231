import { randomBytes, randomUUID } from "node:crypto";
import { makeAccounts } from "./accounts.ts";
import type { Tenant, TenantOptions, TenantToken } from "./contract.ts";
import { makeControl, type ControlParts } from "./control.ts";
import { Datapipe } from "./datapipe.ts";
import { buildDataset } from "./dataset/uniform.ts";
import { Dataset } from "./dataset/dataset.ts";
import { FaultBook } from "./fault-book.ts";
import { formatInstant, fromMilliseconds } from "./instants.ts";
import { Listener } from "./listener.ts";
import { RateLimiter } from "./rate-limit.ts";
import { requestListener, type ServerParts } from "./server.ts";

const HOUR_MS = 3_600_000;

const DEFAULTS = {
  port: 0,
  dialect: "standard",
  latencyMs: 0,
  rateLimit: null,
  clock: { now: () => Date.now() },
  clockSkewMs: 0,
  dateHeader: true,
  jwts: [],
  apiKeysDisabled: false,
  pathPrefix: "",
  defaultPageSize: 10,
  maxPageSize: 1000,
  rejectLargeLimits: false,
  sortableColumns: null,
  honourSorting: true,
  unsortedOrder: "id",
  honourFilters: true,
  documentFormat: "markdown",
} as const;

/** Starts a tenant on the loopback address. */
export async function startTenant(options: TenantOptions = {}): Promise<Tenant> {
  const chosen = { ...DEFAULTS, ...options };
  const tokens = copyTokens(options.tokens ?? [{ id: randomUUID(), key: randomBytes(48).toString("base64") }]);
  const [first] = tokens;
  if (first === undefined) throw new Error("A tenant needs at least one token.");
  const data = datasetOf(options, chosen.clock.now());
  const { analysisStatus = chosen.dialect === "bloodhound-enterprise" } = options;
  const parts: ServerParts & ControlParts = {
    data,
    accounts: makeAccounts(),
    datapipe: new Datapipe(analysisStatus, data.analysedAt),
    settings: chosen,
    tokens,
    jwts: [...chosen.jwts],
    apiKeysDisabled: chosen.apiKeysDisabled,
    pathPrefix: chosen.pathPrefix,
    dateHeader: chosen.dateHeader,
    limiter: new RateLimiter(chosen.rateLimit),
    faults: new FaultBook(),
    requests: [],
    clock: chosen.clock,
    tuning: { latencyMs: chosen.latencyMs, clockSkewMs: chosen.clockSkewMs, passedMs: 0 },
  };
  const listener = new Listener(options.tls, (request, response) => {
    handle(request, response);
  });
  const control = makeControl(parts, listener);
  const handle = requestListener(parts, listener, control);
  await listener.open(chosen.port);
  return {
    url: `${options.tls === undefined ? "http" : "https"}://127.0.0.1:${listener.port}${parts.pathPrefix}`,
    port: listener.port,
    tokenId: first.id,
    tokenKey: first.key,
    data,
    control,
    requests: parts.requests,
    get connections() {
      return listener.connections;
    },
    get traffic() {
      return listener.traffic;
    },
    close: () => listener.close(),
  };
}

/** Copies, because the control changes what a token may read. */
function copyTokens(tokens: readonly TenantToken[]): TenantToken[] {
  return tokens.map((token) => ({ ...token, forbiddenEnvironments: [...(token.forbiddenEnvironments ?? [])] }));
}

function datasetOf({ dataset }: TenantOptions, now: number): Dataset {
  if (dataset instanceof Dataset) return dataset;
  return buildDataset({ analysedAt: formatInstant(fromMilliseconds(now - HOUR_MS)), ...dataset });
}

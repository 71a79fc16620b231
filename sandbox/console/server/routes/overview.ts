import type { Overview, Tour } from "../../contract/index.ts";
import { object, oneOf } from "../input.ts";
import type { Parts } from "../parts.ts";
import type { Routes } from "../routing.ts";

export function overviewRoutes(parts: Parts): Routes<"GET /overview" | "POST /tour"> {
  return {
    "GET /overview": { answer: () => overview(parts) },
    "POST /tour": {
      body: object({ done: oneOf("installed", "connected", "polled", "openedCase", "drewPath") }),
      answer: ({ body }) => {
        parts.tour.mark(body.done);
        return tourOf(parts);
      },
    },
  };
}

function overview(parts: Parts): Overview {
  const { host, simulation } = parts;
  const tenant = simulation?.tenant ?? null;
  return {
    tour: tourOf(parts),
    simulated: tenant !== null,
    suggestedInstance: tenant && { Server: tenant.url, "Token ID": tenant.tokenId, "Token Key": tenant.tokenKey },
    counts: { ...host.cases.counts(), runningRuns: host.records.running() },
    integrations: host.store
      .packages()
      .filter(({ inUse }) => inUse)
      .map(({ identifier, version, manifest: { name } }) => ({ identifier, name, version })),
  };
}

function tourOf({ host, tour }: Parts): Tour {
  const completed = (kind: "action" | "connector") => host.records.list({ kind, status: "completed", limit: 200 }).rows;
  const { openedCase = false, drewPath = false } = tour.read();
  return {
    installed: host.store.packages().length > 0,
    connected: completed("action").some(({ name }) => name === "Ping"),
    polled: completed("connector").some(({ test }) => !test),
    openedCase,
    drewPath,
  };
}

import { parametersOf } from "../../prepare.ts";
import type { Overview, Tour } from "../../contract/index.ts";
import { object, oneOf } from "../input.ts";
import type { Parts } from "../parts.ts";
import type { Routes } from "../routing.ts";
import { tourPath } from "../tour-path.ts";

export function overviewRoutes(parts: Parts): Routes<"GET /overview" | "GET /tour/path" | "POST /tour"> {
  return {
    "GET /overview": { answer: () => overview(parts) },
    "GET /tour/path": { answer: () => tourPath(parts) },
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
  const inUse = host.store.packages().filter((installed) => installed.inUse);
  return {
    tour: tourOf(parts),
    simulated: tenant !== null,
    aheadMs: host.aheadMs,
    suggestedInstance: tenant && parametersOf(tenant),
    counts: { ...host.cases.counts(), runningRuns: host.records.running() },
    integrations: inUse.map(({ identifier, version, manifest: { name } }) => ({ identifier, name, version })),
  };
}

function tourOf({ host, tour }: Parts): Tour {
  const { openedCase = false, drewPath = false } = tour.read();
  return {
    installed: host.store.packages().length > 0,
    connected: host.instances.list().some(({ lastTest }) => lastTest?.ok === true),
    polled: host.cases.counts().cases > 0,
    openedCase,
    drewPath,
  };
}

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
  const cases = host.alerts.cases();
  const sum = (key: "alerts" | "events") => cases.reduce((total, row) => total + row[key], 0);
  return {
    tour: tourOf(parts),
    simulated: tenant !== null,
    suggestedInstance: tenant && { Server: tenant.url, "Token ID": tenant.tokenId, "Token Key": tenant.tokenKey },
    counts: {
      openCases: cases.filter(({ status }) => status === "open").length,
      cases: cases.length,
      alerts: sum("alerts"),
      events: sum("events"),
      runningRuns: host.store.runs().filter(({ status }) => status === "running").length,
    },
    integrations: host.store
      .packages()
      .map(({ identifier, version, manifest: { name } }) => ({ identifier, name, version })),
  };
}

function tourOf({ host, tour }: Parts): Tour {
  const runs = host.store.runs();
  const { openedCase = false, drewPath = false } = tour.read();
  return {
    installed: host.store.packages().length > 0,
    connected: runs.some(({ name, status }) => name === "Ping" && status === "completed"),
    polled: runs.some(({ kind, status, test }) => kind === "connector" && status === "completed" && !test),
    openedCase,
    drewPath,
  };
}

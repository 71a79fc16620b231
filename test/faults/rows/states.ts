import type { Json, JsonObject } from "../../../src/runtime/protocol.ts";
import { unpaged, type FaultRow } from "../row.ts";

const HOUR_MS = 3_600_000;

/** What a host hands over instead of the state that it was given. */
function damaged(
  fault: string,
  change: (state: JsonObject) => Json,
  expected: Partial<FaultRow["expected"]> = {},
): FaultRow {
  return unpaged({
    fault,
    before: 1,
    begin: ({ host, tenant, environmentId, findingType }) => {
      host.state = change(host.state as JsonObject);
      tenant.control.addFindings(environmentId, `${findingType}New`, 3);
    },
    expected: { status: "completed", delivered: 3, says: /./, ...expected },
  });
}

const afresh = {
  says: /^The saved state is damaged \(.+\)\. It was ignored, so findings that were delivered before may be repeated\./,
};

/** Ten million characters of ids that were never delivered, as the memory of a stream that nobody reads any more. */
function bloated(state: JsonObject): Json {
  const newest = Math.floor(Date.now() / HOUR_MS);
  const ids = Array.from({ length: 40_000 }, (_, index) => 100_000_000 + 3 * index + (index % 2)).join(",");
  const hours = Array.from({ length: 25 }, (_, index) => [String(newest - index), ids]);
  const environments = { ...(state["environments"] as JsonObject) };
  environments["S-1-5-21-0-0-9"] = { streams: { "0": { ids: Object.fromEntries(hours) as JsonObject } } };
  return { ...state, environments };
}

export const states: FaultRow[] = [
  damaged("a corrupt state", (state) => ({ ...state, environments: "§§§" }), afresh),
  damaged("a truncated state", (state) => JSON.stringify(state).slice(0, 300), afresh),
  damaged("a lost state", () => null, { says: /75 new findings/ }),
  damaged("a state of another tenant", (state) => ({ ...state, tenant: "https://another.example" }), {
    says: /^The saved state belongs to https:\/\/another\.example\. It was ignored/,
  }),
  {
    ...damaged("a state of a newer version", (state) => ({ ...state, version: 99 }), {
      status: "failed",
      delivered: 0,
      says: /written by a newer version of this plugin \(state version 99\)\. Nothing was read and nothing was changed\./,
    }),
    end: ({ host }) => {
      host.state = { ...(host.state as JsonObject), version: 1 };
    },
  },
  {
    ...damaged("a state of 10 MB", bloated, { says: /3 new findings/ }),
    // A process reads it in a fraction of the time that the program takes here, where each use of a global is slow.
    under: () => ({ asProcess: true }),
  },
];

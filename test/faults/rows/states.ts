import type { Json, JsonObject } from "../../../src/runtime/protocol.ts";
import type { FaultRow } from "../row.ts";

/** What a host hands over instead of the state that it was given. */
function damaged(
  fault: string,
  change: (state: JsonObject) => Json,
  expected: Partial<FaultRow["expected"]> = {},
): FaultRow {
  return {
    fault,
    before: 1,
    begin: ({ host, tenant, environmentId, findingType }) => {
      host.state = change(host.state as JsonObject);
      tenant.control.addFindings(environmentId, `${findingType}New`, 3);
    },
    expected: { status: "completed", delivered: 3, says: /./, ...expected },
  };
}

const afresh = { says: /saved state is damaged .* may repeat/ };

/** Ten million characters of ids that were never delivered, as a pair's memory. */
function bloated(state: JsonObject): Json {
  const seen = Array.from({ length: 1_000_000 }, (_, index) => `=x${String(index).padStart(7, "0")}`).join(",");
  const environments = { ...(state["environments"] as JsonObject) };
  environments["S-1-5-21-0-0-9"] = { cursors: { "2026-01-01T00:00:00Z": { T0Other: seen } } };
  return { ...state, environments };
}

export const states: FaultRow[] = [
  damaged("a corrupt state", (state) => ({ ...state, environments: "§§§" }), afresh),
  damaged("a truncated state", (state) => JSON.stringify(state).slice(0, 300), afresh),
  damaged("a lost state", () => null, { says: /75 new findings/ }),
  damaged("a state of another tenant", (state) => ({ ...state, tenant: "https://another.example" }), {
    says: /saved state belongs to https:\/\/another\.example/,
  }),
  {
    ...damaged("a state of a newer version", (state) => ({ ...state, version: 99 }), {
      status: "failed",
      delivered: 0,
      says: /newer version of this plugin.*Nothing was changed/,
    }),
    end: ({ host }) => {
      host.state = { ...(host.state as JsonObject), version: 1 };
    },
  },
  damaged("a state of 10 MB", bloated, { says: /3 new findings/ }),
];

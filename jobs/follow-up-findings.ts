import { openService } from "../src/connection.ts";
import { followUp } from "../src/follow-up/follow-up.ts";
import { outcomeOf } from "../src/follow-up/report.ts";
import { severityOf } from "../src/findings/severity.ts";
import { Selection } from "../src/ingestion/selection.ts";
import { defineJob } from "../src/runtime/modules.ts";

/**
 * @param open - connects to the tenant; a simulation passes its own
 * @param stateCharacters - how many the state may take; default: see `FollowUpOptions`
 */
export function followUpFindings(open: typeof openService, stateCharacters?: number) {
  return defineJob("Follow Up Findings", async (context) => {
    const { parameters, run, progress } = context;
    const lowest = parameters["Lowest Severity Kept Open"];
    const service = open(context, parameters);
    try {
      const result = await followUp({
        ...context,
        service,
        selection: new Selection({ "Selected Environments": parameters["Selected Environments"] }),
        settings: {
          closes: parameters["Close Alerts"],
          keptOpen: lowest === null ? null : severityOf(lowest),
          allowsMassClosing: parameters["Allow Mass Closing"],
        },
        ...(stateCharacters !== undefined && { stateCharacters }),
        change: (change) => (run.test ? Promise.resolve() : context.change(change)),
        progress: (done, total) => {
          progress(done, total, "environments");
        },
      });
      return outcomeOf(result, { isTest: run.test });
    } finally {
      service.close();
    }
  });
}

export default followUpFindings(openService);

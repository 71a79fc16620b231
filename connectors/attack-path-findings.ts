import { openService } from "../src/connection.ts";
import { manifest } from "../src/generated/manifest.ts";
import { ingest } from "../src/ingestion/ingest.ts";
import { defineConnector } from "../src/runtime/modules.ts";

export default defineConnector("Attack Path Findings", async (context) => {
  const { parameters, run, state, log, clock } = context;
  const service = openService(context, parameters);
  try {
    return await ingest({
      service,
      run,
      clock,
      deadline: context.deadline,
      state,
      selectedEnvironments: parameters["Selected Environments"],
      selectedFindingTypes: parameters["Selected Finding Types"],
      product: manifest.product,
      vendor: manifest.vendor,
      productField: parameters["Product Field Name"],
      eventField: parameters["Event Field Name"],
      analysisGate: manifest.service.analysisGate,
      log,
      deliver: (alert, checkpoint) => context.deliver(alert, checkpoint),
      progress: (done, total, label) => {
        context.progress(done, total, label);
      },
    });
  } finally {
    service.close();
  }
});

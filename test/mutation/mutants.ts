import { answers } from "./bugs/answers.ts";
import { delivery } from "./bugs/delivery.ts";
import { followUpAlerts } from "./bugs/follow-up-alerts.ts";
import { followUpRuns } from "./bugs/follow-up-runs.ts";
import { followUp } from "./bugs/follow-up.ts";
import { lists } from "./bugs/lists.ts";
import { mapping } from "./bugs/mapping.ts";
import { reading } from "./bugs/reading.ts";
import { requests } from "./bugs/requests.ts";
import { skipping } from "./bugs/skipping.ts";
import { state } from "./bugs/state.ts";
import type { Mutant } from "./mutant.ts";

/** Every deliberate bug that the tests have to notice. */
export const mutants: readonly Mutant[] = [
  ...skipping,
  ...reading,
  ...state,
  ...delivery,
  ...mapping,
  ...requests,
  ...lists,
  ...answers,
  ...followUp,
  ...followUpAlerts,
  ...followUpRuns,
];

import { contentHub } from "./google-secops/content-hub.ts";
import { googleSecops, googleSecopsAgent } from "./google-secops/index.ts";
import { n8n } from "./n8n/index.ts";
import { npm } from "./npm.ts";
import { portable } from "./portable.ts";

/** Packages that are one file each: whoever has one can compare it with what these sources give. */
export const verifiableTargets = [portable, npm, googleSecops, googleSecopsAgent, n8n];

/** Everything that `npm run package` can build. */
export const targets = [...verifiableTargets, contentHub];

import { googleSecops, googleSecopsAgent } from "./google-secops/index.ts";
import { portable } from "./portable.ts";
import type { Target } from "./target.ts";

/** Every kind of package that can be built. */
export const targets: readonly Target[] = [portable, googleSecops, googleSecopsAgent];

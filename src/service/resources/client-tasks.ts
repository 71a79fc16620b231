import { validateClientTask } from "../../generated/validators.js";
import type { Api } from "../api.ts";
import type { AttackPathService } from "../attack-path-service.ts";
import { unwrapNullables } from "../records/nullables.ts";
import { path } from "../target.ts";

export function clientTasksOf(api: Api): AttackPathService["clientTasks"] {
  return {
    async current() {
      return unwrapNullables(api.record(validateClientTask, await api.get(path`/api/v2/tasks/current`)));
    },
  };
}

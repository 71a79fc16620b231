import { validateClientTask } from "../../generated/validators-on-demand.js";
import type { AttackPathService } from "../attack-path-service.ts";
import { path } from "../http/target.ts";
import type { Api } from "../api.ts";

export function clientTasksOf(api: Api): AttackPathService["clientTasks"] {
  return {
    async current() {
      return api.record(validateClientTask, await api.get(path`/api/v2/tasks/current`));
    },
  };
}

import { validateEnvironment } from "../../generated/validators.js";
import type { Api } from "../api.ts";
import type { AttackPathService } from "../attack-path-service.ts";
import type { Environment, WireEnvironment } from "../records/environments.ts";
import { unwrapNullables } from "../records/nullables.ts";
import { path } from "../target.ts";

export function environmentsOf(api: Api): AttackPathService["environments"] {
  return {
    async list() {
      const found = unwrapNullables(api.list(validateEnvironment, await api.get(path`/api/v2/available-domains`)));
      const usable = found.filter(hasId);
      if (usable.length < found.length) {
        api.log.warn("Environments without an id were left out: nothing can be asked about them", {
          count: found.length - usable.length,
        });
      }
      return usable;
    },
  };
}

function hasId(environment: WireEnvironment): environment is Environment {
  return environment.id !== undefined && environment.id !== "";
}

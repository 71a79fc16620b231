import { validateEnvironment } from "../../generated/validators.js";
import type { AttackPathService } from "../attack-path-service.ts";
import { path } from "../http/target.ts";
import { type Api, LARGEST_LIST_BYTES } from "./api.ts";
import type { Environment, WireEnvironment } from "./environments.records.ts";
import { isName } from "./names.ts";

export function environmentsOf(api: Api): AttackPathService["environments"] {
  return {
    async list() {
      const reply = await api.getList(path`/api/v2/available-domains`, [], { largestBody: LARGEST_LIST_BYTES });
      const found = api.list(validateEnvironment, reply);
      const environments = found.filter(hasId).map(wellFormed);
      return { environments, unreadable: found.length - environments.length };
    },
  };
}

function hasId(environment: WireEnvironment): environment is Environment {
  return isName(environment.id);
}

/** Names go into states and messages, where a lone surrogate could not be written. */
function wellFormed(environment: Environment): Environment {
  const { name } = environment;
  return name === undefined ? environment : { ...environment, name: name.toWellFormed() };
}

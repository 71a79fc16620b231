import { validateEnvironment } from "../../generated/validators.js";
import type { AttackPathService } from "../attack-path-service.ts";
import { isName, path } from "../http/target.ts";
import { type Api, LARGEST_LIST_BYTES } from "../api.ts";
import type { Environment, WireEnvironment } from "./environments.records.ts";
import { wholeList } from "../lists/whole-list.ts";

export function environmentsOf(api: Api): AttackPathService["environments"] {
  return {
    async list({ signal } = {}) {
      const kind = { largestBody: LARGEST_LIST_BYTES, signal };
      const { entries, endpoint, incomplete } = await wholeList(api, path`/api/v2/available-domains`, { kind });
      const found = api.records(validateEnvironment, entries, endpoint);
      const environments = found.filter(hasId).map(wellFormed);
      return { environments, unreadable: found.length - environments.length, ...(incomplete && { incomplete }) };
    },
  };
}

function hasId(environment: WireEnvironment): environment is Environment {
  return isName(environment.id);
}

/** Names go into states and messages, where a lone surrogate could not be written, and nobody would see an empty one. */
function wellFormed({ name, ...environment }: Environment): Environment {
  return name === undefined || name.trim() === "" ? environment : { ...environment, name: name.toWellFormed() };
}

import type { Fault, FaultEffect, TenantControl } from "../../../tenant/index.ts";
import type { FaultName, InjectedFault } from "../../contract/index.ts";

/** Each as the service, or what stands in front of it, shows it. */
const EFFECTS: Record<FaultName, FaultEffect> = {
  rate_limit: {
    kind: "status",
    status: 429,
    body: "text",
    message: "Limit exceeded",
    headers: { "X-RateLimit-Limit": "0", "X-RateLimit-Remaining": "0", "Retry-After": "1" },
  },
  hang: { kind: "stall" },
  server_error: { kind: "status", status: 500 },
  wrong_key: {
    kind: "status",
    status: 401,
    message: "unable to validate request signature for client: digest validation failed: signature digest mismatch",
  },
  dropped: { kind: "drop" },
  not_json: { kind: "html" },
  empty_page: { kind: "empty-page" },
};

export const FAULT_SENTENCES: Record<FaultName, string> = {
  rate_limit: "are answered with 429, Limit exceeded",
  hang: "get no answer at all",
  server_error: "are answered with 500",
  wrong_key: "are answered with 401, as if the token key were wrong",
  dropped: "lose their connection",
  not_json: "are answered with a gateway's HTML page",
  empty_page: "get a list without items, although its count promises some",
};

/** The faults that are injected, each with the number of requests that it still hits. */
export class InjectedFaults {
  #faults: InjectedFault[] = [];
  readonly #control: TenantControl;

  constructor(control: TenantControl) {
    this.#control = control;
  }

  inject(fault: InjectedFault): void {
    const left = { ...fault };
    const hits: Fault["when"] = ({ path }) => {
      if (!path.includes(left.path) || left.times === 0) return false;
      if (left.times !== null) left.times -= 1;
      return true;
    };
    this.#faults.push(left);
    this.#control.fault({ when: hits, effect: EFFECTS[fault.name] });
  }

  /** Those that can still hit a request. */
  list(): InjectedFault[] {
    return this.#faults.filter(({ times }) => times !== 0).map((fault) => ({ ...fault }));
  }

  clear(): void {
    this.#faults = [];
    this.#control.clearFaults();
  }
}

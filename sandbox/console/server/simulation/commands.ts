import type { InjectedFault, TenantCommand } from "../../contract/index.ts";
import { nullable, object, oneOf, optional, text, variants, whole } from "../input.ts";

/** Commands that change what the tenant knows; the others change only how it behaves. */
export type DataCommand = Extract<
  TenantCommand,
  {
    do:
      | "analyse"
      | "add_findings"
      | "accept_finding"
      | "remediate_finding"
      | "delete_finding"
      | "bring_back"
      | "renew_ids"
      | "drop_environment"
      | "stop_collector"
      | "pass_time";
  }
>;

const DAY_MS = 86_400_000;
const ID = whole(0, 2 ** 31 - 1);

const DATA_FIELDS = {
  analyse: { environmentId: optional(text) },
  add_findings: { environmentId: text, findingType: text, count: whole(1, 1_000) },
  accept_finding: { environmentId: text, findingType: text, id: ID },
  remediate_finding: { environmentId: text, findingType: text, id: ID },
  delete_finding: { environmentId: text, findingType: text, id: ID },
  bring_back: { environmentId: text, findingType: text, id: ID },
  renew_ids: { environmentId: text },
  drop_environment: { environmentId: text },
  stop_collector: { environmentId: text, days: whole(1, 365) },
  pass_time: { milliseconds: whole(1, 365 * DAY_MS) },
};

const fault = object<InjectedFault>({
  name: oneOf("rate_limit", "hang", "server_error", "wrong_key", "dropped", "not_json", "empty_page"),
  path: text,
  times: nullable(whole(1, 1_000_000)),
});

export const dataCommand = variants<DataCommand, "do">("do", DATA_FIELDS);

export const tenantCommand = variants<TenantCommand, "do">("do", {
  ...DATA_FIELDS,
  begin_analysis: {},
  end_analysis: {},
  inject: { fault },
  clear_faults: {},
  set_latency: { milliseconds: whole(0, 60_000) },
  move_clock: { aheadMs: whole(-30 * DAY_MS, 30 * DAY_MS) },
  go_away: {},
  come_back: {},
});

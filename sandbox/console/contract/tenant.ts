/** The simulated tenant as the console controls it. Absent when a real one is polled. */
export interface TenantView {
  url: string;
  dialect: string;
  environments: {
    id: string;
    name: string;
    type: string;
    collected: boolean;
    findingTypes: string[];
    findings: number;
  }[];
  /** How many requests it has had. */
  requests: number;
  isAnalysing: boolean;
  latencyMs: number;
  /** How far its clock is ahead of this machine's, in milliseconds. */
  clockAheadMs: number;
  /** How much time a person has let pass, in milliseconds. */
  passedMs: number;
  /** What can be brought back. */
  remediated: TenantFinding[];
  reachable: boolean;
  faults: InjectedFault[];
}

/** A fault that a person can inject; each is one that services really have. */
export type FaultName = "rate_limit" | "hang" | "server_error" | "wrong_key" | "dropped" | "not_json" | "empty_page";

export interface InjectedFault {
  name: FaultName;
  /** Part of a path; empty: every request. */
  path: string;
  /** How many requests it hits; null: all until it is cleared. */
  times: number | null;
}

export interface TenantFinding {
  environmentId: string;
  findingType: string;
  id: number;
  source: string | null;
  target: string;
  severity: string;
  accepted: boolean;
}

export type TenantCommand =
  | { do: "analyse"; environmentId?: string }
  | { do: "begin_analysis" }
  | { do: "end_analysis" }
  | { do: "add_findings"; environmentId: string; findingType: string; count: number }
  | { do: "accept_finding"; environmentId: string; findingType: string; id: number }
  | { do: "remediate_finding"; environmentId: string; findingType: string; id: number }
  | { do: "delete_finding"; environmentId: string; findingType: string; id: number }
  /** A finding that was remediated is there again, with a new id. */
  | { do: "bring_back"; environmentId: string; findingType: string; id: number }
  | { do: "renew_ids"; environmentId: string }
  | { do: "drop_environment"; environmentId: string }
  | { do: "stop_collector"; environmentId: string; days: number }
  /** Time passes for the service and for the host. */
  | { do: "pass_time"; milliseconds: number }
  | { do: "inject"; fault: InjectedFault }
  | { do: "clear_faults" }
  | { do: "set_latency"; milliseconds: number }
  | { do: "move_clock"; aheadMs: number }
  | { do: "go_away" }
  | { do: "come_back" };

/** One sentence about what the command did. */
export interface TenantAnswer {
  message: string;
  tenant: TenantView;
}

import { dataAnswer, Refusal } from "../answer.ts";
import type { Exchange, Handler, Route } from "../exchange.ts";
import { formatInstant, fromMilliseconds } from "../instants.ts";
import { NOT_DELETED, type WireEnvironment } from "../wire.ts";

const version: Handler = ({ settings }) =>
  dataAnswer({
    API: { current_version: "v2", deprecated_version: "none" },
    server_version: "v9.3.0-simulated",
    product_edition: settings.dialect === "standard" ? "community" : "enterprise",
  });

const datapipeStatus: Handler = ({ datapipe, settings, now }) => {
  if (!datapipe.offered) throw new Refusal(404, "resource not found");
  return dataAnswer(datapipe.status(fromMilliseconds(now), settings.dialect === "bloodhound-enterprise"));
};

const TASK_ID = 4211;
const JOB_ID = 812;
const MINUTE = 60_000;

/** The collection that the calling client last ran: it began half an hour ago and took twelve minutes. */
const currentTask: Handler = (exchange) => {
  const { data, now } = exchange;
  const at = (minutesAgo: number): string =>
    formatInstant(fromMilliseconds(Math.floor(now / 1000) * 1000 - minutesAgo * MINUTE));
  const domains = data.environments.filter(
    (environment) => environment.type === "active-directory" && environment.collected,
  );
  return dataAnswer({
    id: TASK_ID,
    client_id: "5f8a3c52-9c14-4f0e-8d6b-2b7b9a1de401",
    client_name: "collector-01",
    event_id: { int32: 17, valid: true },
    execution_time: at(30),
    start_time: at(30),
    end_time: at(18),
    status_message: "Completed",
    session_collection: true,
    local_group_collection: true,
    ad_structure_collection: true,
    cert_services_collection: true,
    ca_registry_collection: false,
    dc_registry_collection: false,
    all_trusted_domains: true,
    domain_controller: "",
    ous: [],
    domains: domains.map(({ id, name }) => ({ objectid: id, name, exists: true, type: "Domain" })),
    domain_results: domains.map((domain, index) => domainResult(exchange, domain, index + 1, at(18))),
  });
};

const COUNTED: [counter: string, kind: string][] = [
  ["user_count", "User"],
  ["group_count", "Group"],
  ["computer_count", "Computer"],
  ["gpo_count", "GPO"],
  ["ou_count", "OU"],
  ["container_count", "Container"],
  ["aiaca_count", "AIACA"],
  ["rootca_count", "RootCA"],
  ["enterpriseca_count", "EnterpriseCA"],
  ["ntauthstore_count", "NTAuthStore"],
  ["certtemplate_count", "CertTemplate"],
];

function domainResult({ data }: Exchange, domain: WireEnvironment, id: number, instant: string) {
  const nodes = data.nodesOf(domain.id);
  const counts = COUNTED.map(
    ([counter, kind]) => [counter, nodes.filter((node) => node.kind === kind).length] as const,
  );
  return {
    id,
    created_at: instant,
    updated_at: instant,
    deleted_at: NOT_DELETED,
    job_id: JOB_ID,
    domain_name: domain.name,
    success: true,
    message: "",
    ...Object.fromEntries(counts),
    deleted_count: 0,
  };
}

export const serviceRoutes: Route[] = [
  { method: "GET", path: "/api/version", handle: version },
  { method: "GET", path: "/api/v2/datapipe/status", handle: datapipeStatus },
  { method: "GET", path: "/api/v2/tasks/current", handle: currentTask },
];

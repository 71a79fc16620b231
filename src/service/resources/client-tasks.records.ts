import type { NullableInt32, NullableTime, Unwrapped } from "../responses/nullables.ts";

/** A directory container that a task collects. */
export interface OuReference {
  objectid?: string;
  name?: string;
  exists?: boolean;
  distinguishedname?: string;
  type?: string;
}

/** A domain that a task collects. */
export interface DomainReference {
  objectid?: string;
  name?: string;
  exists?: boolean;
  type?: string;
}

/** What a task found in one domain: counts of objects. */
export interface WireDomainResult {
  id?: number;
  created_at?: string;
  updated_at?: string;
  deleted_at?: NullableTime;
  job_id?: number;
  domain_name?: string;
  success?: boolean;
  message?: string;
  user_count?: number;
  group_count?: number;
  computer_count?: number;
  gpo_count?: number;
  ou_count?: number;
  container_count?: number;
  aiaca_count?: number;
  rootca_count?: number;
  enterpriseca_count?: number;
  ntauthstore_count?: number;
  certtemplate_count?: number;
  deleted_count?: number;
}

/** The data collection that a client runs (Attack Path Analysis Service API, section Client task). Instants are RFC 3339. */
export interface WireClientTask {
  id?: number;
  /** UUID. */
  client_id?: string;
  client_name?: string;
  event_id?: NullableInt32;
  execution_time?: string;
  start_time?: string;
  end_time?: string;
  status_message?: string;
  session_collection?: boolean;
  local_group_collection?: boolean;
  ad_structure_collection?: boolean;
  cert_services_collection?: boolean;
  ca_registry_collection?: boolean;
  dc_registry_collection?: boolean;
  all_trusted_domains?: boolean;
  domain_controller?: string;
  ous?: OuReference[];
  domains?: DomainReference[];
  domain_results?: WireDomainResult[];
}
export type ClientTask = Unwrapped<WireClientTask>;

import type { Unwrapped } from "../responses/nullables.ts";

/**
 * An item of `available-domains` (BloodHound API, docs/openapi.json). On the wire every field may be absent or null,
 * here and in all other records.
 */
export interface WireEnvironment {
  /** Object id: the SID of a directory domain, the id of a cloud tenant. */
  id?: string;
  /** Two environments may have the same name. */
  name?: string;
  /** `active-directory`, `azure`, or a custom kind. */
  type?: string;
  /** False until data was collected for it. */
  collected?: boolean;
  /** 0 to 100. */
  impactValue?: number;
  /** Count of attack paths inside the tier-zero hygiene checks. */
  hygiene_attack_paths?: number;
  /** Exposure per zone, percent. */
  exposures?: Record<string, unknown>[];
  environment_kind_name?: string;
  environment_kind_display_name?: string;
}

/** What the service can be asked about: a directory domain or a cloud tenant. It always has an id. */
export type Environment = Unwrapped<WireEnvironment> & { id: string };

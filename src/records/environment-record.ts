import type { Environment } from "../service/resources/environments.records.ts";

/** An environment as the library and the command line give it. What the service does not say is null. */
export type EnvironmentRecord = Readonly<{
  /** SID of a directory domain, id of a cloud tenant. */
  id: string;
  /** Two environments may have the same name. */
  name: string | null;
  /** `active-directory`, `azure`, or a custom kind. */
  type: string | null;
  /** False until data was collected for it. */
  collected: boolean | null;
  /** 0 to 100. */
  impact_percentage: number | null;
}>;

/** Pure. */
export function environmentRecord({ id, name, type, collected, impactValue }: Environment): EnvironmentRecord {
  return {
    id,
    name: name ?? null,
    type: type ?? null,
    collected: collected ?? null,
    impact_percentage: impactValue ?? null,
  };
}

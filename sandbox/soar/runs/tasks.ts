import { HostError } from "../host-error.ts";
import type { Manifest, Parameter } from "../../../src/manifest/manifest.ts";

/** What a package declares to run on a schedule: a connector, or a job. */
export interface DeclaredTask {
  readonly kind: "connector" | "job";
  readonly name: string;
  readonly description: string;
  readonly fields: readonly Parameter[];
}

/** All that a package declares to run on a schedule, connectors first. */
export function declaredTasks({ connectors, jobs }: Manifest): DeclaredTask[] {
  return [
    ...connectors.map(({ name, description, fields }) => ({ kind: "connector" as const, name, description, fields })),
    ...jobs.map(({ name, description, parameters }) => ({
      kind: "job" as const,
      name,
      description,
      fields: parameters,
    })),
  ];
}

/** Finds a connector or a job in a manifest. @throws HostError when it has none of this name. */
export function declaredTask(manifest: Manifest, name: string): DeclaredTask {
  const found = declaredTasks(manifest).find((task) => task.name === name);
  if (found === undefined) throw new HostError(400, `${manifest.name} has no connector and no job "${name}".`);
  return found;
}

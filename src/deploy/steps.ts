/** The steps of a deployment, in the order in which they are made: the package brings what the others name. */
export const STEPS = ["package", "family", "grouping", "playbook"] as const;

export type Step = (typeof STEPS)[number];

/** The steps that need what this package brings: the playbook runs its actions, and the family is one of its own. */
export const NEED_PACKAGE: ReadonlySet<Step> = new Set(["family", "playbook"]);

/** Reads a comma-separated list of steps. Null when one of them is unknown, or there is none. */
export function parseSteps(text: string): Set<Step> | null {
  const names = text.split(",").map((name) => name.trim());
  return names.every(isStep) ? new Set(names) : null;
}

function isStep(name: string): name is Step {
  return (STEPS as readonly string[]).includes(name);
}

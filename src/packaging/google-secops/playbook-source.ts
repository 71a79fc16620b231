import { load } from "../../manifest/load.ts";
import type { Manifest } from "../../manifest/manifest.ts";
import type { Problem } from "../../manifest/problems.ts";
import schema from "./playbook.schema.json" with { type: "json" };

export interface ActionStep {
  readonly name: string;
  /** Identifier of another integration; absent: this one. */
  readonly integration?: string;
  readonly action: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Absent means false: a failure stops the playbook. */
  readonly continueOnFailure?: boolean;
}

export interface Condition {
  /** A placeholder such as `[Event.severity]`. */
  readonly field: string;
  readonly is: "equal" | "not-empty";
  readonly value?: string;
}

export interface Branch {
  readonly name: string;
  /** All must hold. */
  readonly conditions: readonly Condition[];
  readonly steps: readonly Step[];
}

/** Takes the first branch whose conditions hold. Ends its list of steps. */
export interface BranchStep {
  readonly name: string;
  readonly branches: readonly Branch[];
  readonly otherwise: readonly Step[];
}

export type Step = ActionStep | BranchStep;

/** The alerts that start a playbook: those of a product, or of every product. */
export type Trigger = { readonly product: string } | { readonly alerts: "all" };

/** A file of `playbooks/`, as `playbook.schema.json` describes it. */
export interface Playbook {
  readonly $schema?: string;
  readonly name: string;
  readonly description: string;
  readonly trigger: Trigger;
  /** Whether an import enables it. Absent means true. */
  readonly enabled?: boolean;
  readonly steps: readonly Step[];
}

/**
 * Reads a playbook and compares it with the manifest.
 * @throws ManifestError that names each wrong place, what was expected there and what was found
 */
export function readPlaybook(text: string, file: string, manifest: Manifest): Playbook {
  return load<Playbook>(text, file, schema, (playbook) => [
    ...triggerProblems(playbook, manifest),
    ...stepProblems(playbook.steps, "/steps", manifest, new Set()),
  ]);
}

function triggerProblems({ trigger }: Playbook, { product }: Manifest): Problem[] {
  return !("product" in trigger) || trigger.product === product
    ? []
    : [{ path: "/trigger/product", expected: `${product}, as in integration.json`, found: trigger.product }];
}

/** Names are how steps refer to each other, so none may come twice. */
function stepProblems(steps: readonly Step[], path: string, manifest: Manifest, names: Set<string>): Problem[] {
  return steps.flatMap((step, index): Problem[] => {
    const here = `${path}/${index}`;
    const repeated = names.has(step.name.toLowerCase());
    names.add(step.name.toLowerCase());
    return [
      ...(repeated ? [{ path: `${here}/name`, expected: "a name that no other step has", found: step.name }] : []),
      ...("action" in step
        ? actionProblems(step, here, manifest)
        : [
            ...(index < steps.length - 1 ? [{ path: here, expected: "no step behind a branch", found: "one" }] : []),
            ...step.branches.flatMap((branch, at) =>
              stepProblems(branch.steps, `${here}/branches/${at}/steps`, manifest, names),
            ),
            ...stepProblems(step.otherwise, `${here}/otherwise`, manifest, names),
          ]),
    ];
  });
}

function actionProblems(step: ActionStep, path: string, manifest: Manifest): Problem[] {
  if (step.integration !== undefined) return [];
  const action = manifest.actions.find(({ name }) => name === step.action);
  if (action === undefined) {
    const known = manifest.actions.map(({ name }) => name).join(", ");
    return [{ path: `${path}/action`, expected: `one of ${known}`, found: step.action }];
  }
  const labels = action.parameters.map(({ name }) => name);
  const unknown = Object.keys(step.parameters).filter((label) => !labels.includes(label));
  const absent = action.parameters.filter(({ name, mandatory }) => mandatory && step.parameters[name] === undefined);
  return [
    ...unknown.map((label) => ({ path: `${path}/parameters`, expected: `one of ${labels.join(", ")}`, found: label })),
    ...absent.map(({ name }) => ({
      path: `${path}/parameters`,
      expected: `${name}, which is mandatory`,
      found: "nothing",
    })),
  ];
}

import { Ajv2020 } from "ajv/dist/2020.js";
import groupingRuleSchema from "./grouping-rule.schema.json" with { type: "json" };
import manifestSchema from "./integration.schema.json" with { type: "json" };
import type { GroupingRule, Manifest, Mapping } from "./manifest.ts";
import mappingSchema from "./mapping.schema.json" with { type: "json" };
import { ManifestError, type Problem, problemsFromAjv } from "./problems.ts";
import { manifestRules, mappingRules } from "./rules.ts";

/**
 * Keeps each schema that it has compiled. They are this project's own, and a test checks them against the meta-schema; compiling that one
 * takes longer than all of them.
 */
const ajv = new Ajv2020({
  allErrors: true,
  verbose: true,
  strictTypes: false,
  validateSchema: false,
  code: { optimize: false },
});

/**
 * Reads a manifest from its text or its parsed JSON.
 * @throws ManifestError that names each wrong place, what was expected there and what was found.
 */
export function loadManifest(input: unknown, file = "integration.json"): Manifest {
  return load<Manifest>(input, file, manifestSchema, manifestRules);
}

/** Reads an ontology mapping; see {@link loadManifest}. */
export function loadMapping(input: unknown, file = "mapping"): Mapping {
  return load<Mapping>(input, file, mappingSchema, mappingRules);
}

/** Reads an alert grouping rule; see {@link loadManifest}. */
export function loadGroupingRule(input: unknown, file = "grouping rule"): GroupingRule {
  return load<GroupingRule>(input, file, groupingRuleSchema, () => []);
}

/**
 * Reads any file of the project: the schema says what one place may hold, the rules what places must have in common.
 * @throws ManifestError that names each wrong place, what was expected there and what was found.
 */
export function load<T>(input: unknown, file: string, schema: object, rules: (value: T) => Problem[]): T {
  const value = typeof input === "string" ? parse(input, file) : input;
  const validate = ajv.compile<T>(schema);
  if (!validate(value)) throw new ManifestError(file, problemsFromAjv(validate.errors ?? []));
  const problems = rules(value);
  if (problems.length > 0) throw new ManifestError(file, problems);
  return value;
}

function parse(text: string, file: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const found = error instanceof Error ? error.message : "something else";
    throw new ManifestError(file, [{ path: "", expected: "JSON", found }]);
  }
}

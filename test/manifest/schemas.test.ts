import { expect, it } from "@jest/globals";
import { Ajv2020 } from "ajv/dist/2020.js";
import groupingRuleSchema from "../../src/manifest/grouping-rule.schema.json" with { type: "json" };
import manifestSchema from "../../src/manifest/integration.schema.json" with { type: "json" };
import mappingSchema from "../../src/manifest/mapping.schema.json" with { type: "json" };
import playbookSchema from "../../src/packaging/google-secops/playbook.schema.json" with { type: "json" };

const ajv = new Ajv2020();

// The programs compile these schemas without the meta-schema.
it.each(Object.entries({ groupingRuleSchema, manifestSchema, mappingSchema, playbookSchema }))(
  "the %s is a valid JSON Schema",
  (_, schema) => {
    expect(ajv.validateSchema(schema)).toBe(true);
  },
);

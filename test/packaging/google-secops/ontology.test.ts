import { describe, expect, it } from "@jest/globals";
import type { Mapping } from "../../../src/manifest/manifest.ts";
import { customFamilies, ontologyRules } from "../../../src/packaging/google-secops/ontology.ts";

const mapping: Mapping = {
  source: "Source",
  product: "Product",
  rules: [{ target: "GenericEntity", field: "first", fallbackFields: ["second", "third"], kind: "entity" }],
  family: {
    name: "Family",
    description: "How it is drawn.",
    relations: [
      {
        source: "A",
        fallbackSources: ["B", "C", "D"],
        relation: "Linked",
        destination: "E",
        fallbackDestinations: ["F", "G", "H"],
      },
    ],
  },
};

describe("the ontology of the Google SecOps package", () => {
  it("takes the fallback fields of a mapping in their order", () => {
    const fields = {
      RawDataPrimaryFieldMatchTerm: "first",
      RawDataSecondaryFieldMatchTerm: "second",
      RawDataThirdFieldMatchTerm: "third",
    };
    expect(ontologyRules([mapping])).toMatchObject([
      { Product: null, ...fields },
      { Product: "Product", ...fields },
    ]);
  });

  it("takes the fallback entities of a relation in their order", () => {
    expect(customFamilies([mapping], "")).toMatchObject([
      {
        Rules: [
          {
            PrimarySource: "A",
            SecondarySource: "B",
            ThirdSource: "C",
            FourthSource: "D",
            PrimaryDestination: "E",
            SecondaryDestination: "F",
            ThirdDestination: "G",
            FourthDestination: "H",
          },
        ],
      },
    ]);
  });
});

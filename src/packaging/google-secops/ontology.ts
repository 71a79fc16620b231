import type { Mapping, MappingRelation, MappingRule } from "../../manifest/manifest.ts";

/** Transformation functions of the ontology. */
const transforms = { text: 0, "epoch-ms": 3 } as const;

/** A raw field's name must be the same, letter by letter. */
const EQUAL = 0;
const NO_EXTRACTION = 0;

/**
 * `DefaultMappingRules/integration_mapping_rules.json`. Each rule stands at the source's level, which every product of the
 * source inherits, and at the product's, which goes before the platform's own rules for it.
 */
export function ontologyRules(mappings: Iterable<Mapping>): object[] {
  return [...mappings].flatMap(({ source, product, rules }) =>
    [null, product].flatMap((level) => rules.map((rule) => mappingRule(source, level, rule))),
  );
}

function mappingRule(source: string, product: string | null, rule: MappingRule): object {
  const [secondary = "", third = ""] = rule.fallbackFields ?? [];
  return {
    Source: source,
    Product: product,
    EventName: null,
    SecurityEventFieldName: rule.target,
    TransformationFunction: transforms[rule.transform ?? "text"],
    TransformationFunctionParam: "",
    RawDataPrimaryFieldMatchTerm: rule.field,
    RawDataPrimaryFieldComparisonType: EQUAL,
    RawDataSecondaryFieldMatchTerm: secondary,
    RawDataSecondaryFieldComparisonType: EQUAL,
    RawDataThirdFieldMatchTerm: third,
    RawDataThirdFieldComparisonType: EQUAL,
    IsArtifact: rule.kind === "indicator",
    ExtractionFunction: NO_EXTRACTION,
    ExtractionFunctionParam: "",
  };
}

/**
 * `DefaultCustomFamilies/integration_families.json`: how entities of one event are drawn as a graph.
 *
 * @param image - PNG, base64
 */
export function customFamilies(mappings: Iterable<Mapping>, image: string): object[] {
  return [...mappings].flatMap(({ family }) =>
    family === undefined
      ? []
      : [
          {
            Family: family.name,
            Description: family.description,
            ImageBase64: image,
            IsCustom: true,
            Rules: family.relations.map((relation) => familyRule(family.name, relation)),
          },
        ],
  );
}

/** Every key is written: the platform's reader asks for all four of both ends. */
function familyRule(family: string, relation: MappingRelation): object {
  const { source, fallbackSources = [], destination, fallbackDestinations = [] } = relation;
  return {
    PrimarySource: source,
    SecondarySource: fallbackSources[0] ?? null,
    ThirdSource: fallbackSources[1] ?? null,
    FourthSource: fallbackSources[2] ?? null,
    RelationType: relation.relation,
    PrimaryDestination: destination,
    SecondaryDestination: fallbackDestinations[0] ?? null,
    ThirdDestination: fallbackDestinations[1] ?? null,
    FourthDestination: fallbackDestinations[2] ?? null,
    VisualFamily: family,
  };
}

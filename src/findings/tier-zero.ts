/**
 * Whether the properties of an object say that it belongs to Tier Zero: a flag of its own, else a word in `system_tags` (BloodHound
 * API, graph nodes). Undefined when they have neither.
 */
export function tierZeroIn(properties: Readonly<Record<string, unknown>> | undefined): boolean | undefined {
  if (typeof properties?.["isTierZero"] === "boolean") return properties["isTierZero"];
  const tags = properties?.["system_tags"];
  return typeof tags === "string" ? tags.split(/[\s,]+/).includes("admin_tier_0") : undefined;
}

/*
 * What kind of security product the integration belongs to, for the platform's language models (chronicle/content-hub,
 * packages/mp, data model "integration_meta/ai"). Published packages carry it twice: as a file, and in the definition of the
 * integration.
 */

/** The file, in the package. */
export const INTEGRATION_AI_PATH = "resources/ai/integration_ai_description.yaml";

/** All categories as the file spells them, each with its name in a definition and whether it applies. */
const categories = [
  ["siem", "SIEM", false],
  ["edr", "EDR", false],
  ["network_security", "Network Security", false],
  ["threat_intelligence", "Threat Intelligence", false],
  ["email_security", "Email Security", false],
  ["iam_and_identity_management", "IAM & Identity Management", true],
  ["cloud_security", "Cloud Security", false],
  ["itsm", "ITSM", false],
  ["vulnerability_management", "Vulnerability Management", false],
  ["asset_inventory", "Asset Inventory", true],
  ["collaboration", "Collaboration", false],
] as const;

const REASONING =
  "The actions return groups, members, administrators and privileges of users and computers, and the attack paths between them " +
  "(IAM & Identity Management). They describe internal assets and say which are critical (Asset Inventory). They report no CVEs " +
  "and no missing patches, so the integration is no Vulnerability Management. It reads the configuration of cloud identities, " +
  "but neither manages nor monitors cloud resources, so it is no Cloud Security.";

/** Content of the file. */
export const integrationAiDescription = {
  product_categories: {
    reasoning: REASONING,
    ...Object.fromEntries(categories.map(([name, , applies]) => [name, applies])),
  },
};

/** The same in the definition of the integration. */
export const productCategories: readonly string[] = categories.flatMap(([, name, applies]) => (applies ? [name] : []));

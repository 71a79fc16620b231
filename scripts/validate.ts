import { resolve } from "node:path";
import { ManifestError } from "../src/manifest/problems.ts";
import { readSourceProject } from "../src/manifest/project.ts";

try {
  const { manifest, mappings, groupingRules } = await readSourceProject(resolve(import.meta.dirname, ".."));
  const counts = [
    `connectors: ${manifest.connectors.length}`,
    `actions: ${manifest.actions.length}`,
    `jobs: ${manifest.jobs.length}`,
    `mappings: ${mappings.size}`,
    `grouping rules: ${groupingRules.size}`,
  ];
  console.log(`${manifest.name} ${manifest.version}: valid (${counts.join(", ")})`);
} catch (error) {
  if (!(error instanceof ManifestError)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

import { modulesLiteral } from "../codegen/manifest.ts";
import type { Manifest } from "../manifest/manifest.ts";

/**
 * Source of the bundle's entry: hands the declared entry points to the runtime. Each is imported only when a request names it, so that a
 * run pays for nothing else. All of them need the client: an export keeps it among what is loaded at once.
 */
export function entrySource(manifest: Manifest): string {
  return `import { main } from "./src/runtime/main.ts";
export { openService } from "./src/connection.ts";
await main(${modulesLiteral(manifest, ".")});
`;
}

/** The package with the errors of n8n. Every n8n has it. */
export const N8N_WORKFLOW = "n8n-workflow";

/** Source of the classes that n8n loads. */
export function n8nSource(manifest: Manifest): string {
  return `import { NodeApiError, NodeOperationError } from "${N8N_WORKFLOW}";
import { manifest } from "./src/generated/manifest.ts";
import { n8nClasses } from "./src/packaging/n8n/node/index.ts";
const modules = ${modulesLiteral(manifest, ".")};
export const { AttackPathAnalysis, AttackPathAnalysisTrigger, AttackPathAnalysisApi } =
  n8nClasses({ manifest, modules }, { NodeApiError, NodeOperationError });
`;
}

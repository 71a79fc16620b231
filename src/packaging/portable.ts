import { withChecksums } from "./checksums.ts";
import { withoutDeadLinks } from "./documents.ts";
import { type BuildContext, type PackageFile, packageName, type Target } from "./target.ts";
import { zip } from "./zip.ts";

/** One zip for any host that speaks the host contract: it unpacks the zip and starts `node plugin.mjs`. */
export const portable: Target = {
  name: "portable",
  async build(context) {
    const content = await zip(withChecksums(portableFiles(context)));
    return [{ path: `${packageName(context.project.manifest)}.zip`, content }];
  },
};

function portableFiles({ project, bundle, documents, playbooks }: BuildContext): PackageFile[] {
  const { manifest, mappings, groupingRules } = project;
  const json = [["integration.json", manifest] as const, ...mappings, ...groupingRules];
  return [
    ...json.map(([path, value]) => ({ path, content: withoutSchemaPath(value) })),
    ...playbooks,
    { path: "plugin.mjs", content: bundle.code },
    ...withoutDeadLinks(documents),
  ];
}

/** `$schema` names a file of the source tree, which the package does not hold. */
function withoutSchemaPath(value: object): string {
  return `${JSON.stringify({ ...value, $schema: undefined }, null, 2)}\n`;
}

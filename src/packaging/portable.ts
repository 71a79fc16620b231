import { type Artefact, buildPackages } from "./build.ts";
import { kebabCase } from "../manifest/rules.ts";
import { withChecksums } from "./files.ts";
import { withoutDeadLinks } from "./documents.ts";
import { PLACEHOLDER } from "./google-secops/widgets.ts";
import { type BuildContext, type PackageFile, packageName, type Target } from "./target.ts";
import { zip } from "./zip.ts";

/** One zip for any host that speaks the host contract: it unpacks the zip and starts `node plugin.mjs`. */
export const portable: Target = {
  name: "portable",
  async build(context) {
    const content = await zip(withChecksums([...portableFiles(context), ...widgetFiles(context)]));
    return [{ path: `${packageName(context.project.manifest)}.zip`, content }];
  },
};

function portableFiles({ project, bundle, documents, playbooks }: BuildContext): PackageFile[] {
  const { manifest, mappings, groupingRules } = project;
  const json = [["integration.json", manifest] as const, ...mappings, ...groupingRules];
  return [
    ...json.map(([path, value]) => ({ path, content: withoutSchemaPath(value) })),
    ...playbooks,
    ...bundle.files,
    ...withoutDeadLinks(documents),
  ];
}

/** `widgets/<action>.html`: the same documents as on other platforms, with nothing yet in the block of the result. */
function widgetFiles({ widgets }: BuildContext): PackageFile[] {
  return widgets.map(({ html, definition }) => ({
    path: `widgets/${kebabCase(definition.ActionIdentifier)}.html`,
    content: html.replace(PLACEHOLDER, ""),
  }));
}

/** `$schema` names a file of the source tree, which the package does not hold. */
function withoutSchemaPath(value: object): string {
  return `${JSON.stringify({ ...value, $schema: undefined }, null, 2)}\n`;
}

/** Builds the portable package alone. */
export async function buildPortable(rootDir: string, outDir: string): Promise<Artefact> {
  const [artefact] = await buildPackages({ rootDir, outDir, targets: [portable] });
  if (artefact === undefined) throw new Error("The build made no package.");
  return artefact;
}

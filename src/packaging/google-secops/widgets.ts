import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";
import { loadManifest } from "../../manifest/load.ts";
import type { Manifest, ManifestAction } from "../../manifest/manifest.ts";
import { kebabCase } from "../../manifest/rules.ts";
import { stemOf } from "./platform.ts";

/** The platform writes the JSON result of the action in place of this text. */
export const PLACEHOLDER = "[{stepInstanceName}.JsonResult]";

/** The widget of one action, as a Google SecOps SOAR package holds it. */
export interface ActionWidget {
  /** Name of its two files without their endings: `Widgets/<stem>.json` and `WidgetsScripts/<stem>.html`. */
  stem: string;
  /** The whole document: styles, drawings and code inside, nothing is loaded. */
  html: string;
  definition: WidgetDefinition;
}

/** The platform's own format of a widget; it finds the HTML by the file name. */
export interface WidgetDefinition {
  Title: string;
  /** 3: HTML. */
  Type: 3;
  /** 0: shown in the alert that the action ran in. */
  Scope: 0;
  ActionIdentifier: string;
  Description: string;
  /** 1: half of the width. */
  DefaultSize: 1;
  DataDefinition: {
    htmlHeight: number;
    safeRendering: false;
    type: 3;
    /** 2: cases and alerts. */
    widgetDefinitionScope: 2;
    htmlContent: "";
  };
  ConditionsGroup: { LogicalOperator: 0; Conditions: WidgetCondition[] };
}

interface WidgetCondition {
  FieldName: string;
  Value: string;
  /** 1: contains; 8: is not empty. */
  MatchType: 1 | 8;
  CustomOperatorName: null;
}

/** Builds a widget for each action of the manifest that has one in `widgets/`, in the order of the manifest. */
export async function buildWidgets(rootDir: string): Promise<ActionWidget[]> {
  const manifest = loadManifest(await readFile(join(rootDir, "integration.json"), "utf8"));
  const folder = join(rootDir, "widgets");
  const present = new Set(await readdir(folder));
  const actions = manifest.actions.filter(({ name }) => present.has(`${kebabCase(name)}.ts`));
  return Promise.all(
    actions.map(async (action) => {
      const { script, style } = await bundled(join(folder, `${kebabCase(action.name)}.ts`));
      return {
        stem: stemOf(action.name),
        html: document(action.name, style, script),
        definition: widgetDefinition(manifest, action),
      };
    }),
  );
}

/** The code of a widget and the style sheets that it imports, each as one text. */
async function bundled(entry: string): Promise<{ script: string; style: string }> {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    charset: "utf8",
    format: "iife",
    legalComments: "none",
    minify: true,
    outdir: "widgets",
    target: ["es2022", "chrome123"],
    write: false,
  });
  const textOf = (ending: string): string => outputFiles.find(({ path }) => path.endsWith(ending))?.text.trim() ?? "";
  return { script: textOf(".js"), style: textOf(".css") };
}

/**
 * The result stands in a data block, which a browser does not run, behind the code that reads it. The policy lets this
 * one script and this one style sheet in and nothing else: were a result ever to break out of its block, it could
 * neither run nor ask the network for anything.
 */
function document(title: string, style: string, script: string): string {
  const policy = [
    "default-src 'none'",
    `script-src '${integrity(script)}'`,
    `style-src '${integrity(style)}'`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return [
    "<!doctype html>",
    '<html lang="en">',
    '<head><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${title}</title>`,
    `<style>${style}</style>`,
    `<script>${script}</script></head>`,
    `<body><script id="result" type="application/json">${PLACEHOLDER}</script></body>`,
    "</html>",
    "",
  ].join("\n");
}

function integrity(content: string): string {
  return `sha256-${createHash("sha256").update(content).digest("base64")}`;
}

/** What the platform gets to know of the widget of an action, beside its HTML. */
export function widgetDefinition(manifest: Manifest, action: ManifestAction): WidgetDefinition {
  const condition = (Value: string, MatchType: WidgetCondition["MatchType"]): WidgetCondition => ({
    FieldName: PLACEHOLDER,
    Value,
    MatchType,
    CustomOperatorName: null,
  });
  const { required = [] } = action.result.schema as { required?: readonly string[] };
  return {
    Title: `${manifest.name} - ${action.name}`,
    Type: 3,
    Scope: 0,
    ActionIdentifier: action.name,
    Description: action.description,
    DefaultSize: 1,
    DataDefinition: { htmlHeight: 400, safeRendering: false, type: 3, widgetDefinitionScope: 2, htmlContent: "" },
    ConditionsGroup: {
      LogicalOperator: 0,
      Conditions: [condition("", 8), ...required.slice(0, 1).map((field) => condition(field, 1))],
    },
  };
}

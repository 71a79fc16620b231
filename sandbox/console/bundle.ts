import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { build } from "esbuild";

const types = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
} as const;
type Ending = keyof typeof types;

/** A file of the page: its name changes with its content, so that a browser may keep it for ever. */
export interface PageAsset {
  /** Path below the origin, such as /assets/console-3f2a91c0.js. */
  path: string;
  type: (typeof types)[Ending];
  content: Uint8Array;
}

/** What the server answers a browser with: one document for every page, and the files that it loads. */
export interface PageBundle {
  html: string;
  assets: PageAsset[];
}

/** Bundles the code in `browser/` with its libraries and styles. The document holds no script and no style of its own. */
export async function bundlePage(rootDir: string): Promise<PageBundle> {
  const browser = join(rootDir, "sandbox", "console", "browser");
  const { outputFiles } = await build({
    entryPoints: { console: join(browser, "main.tsx") },
    absWorkingDir: rootDir,
    preserveSymlinks: true,
    bundle: true,
    charset: "utf8",
    format: "esm",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    logLevel: "silent",
    minify: true,
    outdir: "assets",
    target: ["es2022", "chrome123", "firefox125", "safari17.5"],
    write: false,
  });
  const built = outputFiles.map(({ path, contents }) => asset(path.endsWith(".css") ? "css" : "js", contents));
  const assets = [...built, asset("svg", await readFile(join(browser, "icon.svg")))];
  return { html: documentOf(assets), assets };
}

function asset(ending: Ending, content: Uint8Array): PageAsset {
  const hash = createHash("sha256").update(content).digest("hex").slice(0, 8);
  return { path: `/assets/console-${hash}.${ending}`, type: types[ending], content };
}

/** The script delays the first paint, because it knows the theme that the person has chosen. */
const tags: Readonly<Record<PageAsset["type"], (path: string) => string>> = {
  [types.js]: (path) => `<script type="module" src="${path}" blocking="render"></script>`,
  [types.css]: (path) => `<link rel="stylesheet" href="${path}">`,
  [types.svg]: (path) => `<link rel="icon" type="${types.svg}" href="${path}">`,
};

function documentOf(assets: readonly PageAsset[]): string {
  return [
    "<!doctype html>",
    '<html lang="en">',
    '<head><meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    '<meta name="referrer" content="no-referrer">',
    "<title>Attack Path Analysis console</title>",
    ...assets.map(({ type, path }) => tags[type](path)),
    "</head>",
    '<body><div id="app"></div><noscript>The console needs JavaScript.</noscript></body>',
    "</html>",
    "",
  ].join("\n");
}

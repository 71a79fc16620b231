import { createHash } from "node:crypto";
import { extname, join } from "node:path";
import { build } from "esbuild";

/** A file of the page; its name changes with its content. */
export interface PageAsset {
  /** Such as /assets/main-0123456789ab.js. */
  path: string;
  type: string;
  content: Uint8Array;
}

/** The page and what it loads. */
export interface PageBundle {
  html: string;
  assets: PageAsset[];
}

/** The browser's code; its styles are what it imports. */
const BROWSER_ENTRY = join(import.meta.dirname, "..", "browser", "main.tsx");

const TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
};

/** Bundles the browser's code; the file names change with the content. */
export async function buildPage(entry = BROWSER_ENTRY): Promise<PageBundle> {
  const { outputFiles } = await build({
    entryPoints: { main: entry },
    outdir: "/assets",
    bundle: true,
    charset: "utf8",
    format: "esm",
    jsx: "automatic",
    jsxImportSource: "preact",
    legalComments: "none",
    minify: true,
    // A node_modules that is a link, as in a git worktree, holds each module once.
    preserveSymlinks: true,
    target: "es2022",
    write: false,
    logLevel: "silent",
  });
  const assets = outputFiles.map(({ path, contents: content }) => {
    const ending = extname(path);
    const digest = createHash("sha256").update(content).digest("hex").slice(0, 12);
    return { path: `/assets/main-${digest}${ending}`, type: TYPES[ending] ?? "text/plain", content };
  });
  return { html: document(assets.map(({ path }) => path)), assets };
}

/** The script delays the first paint, because it knows the theme that the person has chosen. */
function document(paths: readonly string[]): string {
  const styles = paths.filter((path) => path.endsWith(".css"));
  const scripts = paths.filter((path) => path.endsWith(".js"));
  return [
    "<!doctype html>",
    '<html lang="en">',
    "<head>",
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    "<title>Attack Path Console</title>",
    '<link rel="icon" href="/icon.svg" type="image/svg+xml">',
    ...styles.map((path) => `<link rel="stylesheet" href="${path}">`),
    ...scripts.map((path) => `<script type="module" src="${path}" blocking="render"></script>`),
    "</head>",
    '<body><div id="app"></div><noscript>The console needs JavaScript.</noscript></body>',
    "</html>",
    "",
  ].join("\n");
}

/** A path of three nodes. */
export const ICON = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><path d="M7 24 16 9l9 15" fill="none" stroke="#7a5cff" stroke-width="3"/><circle cx="7" cy="24" r="4" fill="#7a5cff"/><circle cx="16" cy="9" r="4" fill="#7a5cff"/><circle cx="25" cy="24" r="4" fill="#e5484d"/></svg>`;

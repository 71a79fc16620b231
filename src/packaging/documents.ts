import { readdir, readFile } from "node:fs/promises";
import { join, posix, sep } from "node:path";
import type { PackageFile } from "./target.ts";

/** README.md, LICENSE, CHANGELOG.md, and the pages, sample programs and schemas in docs/, without pictures. */
export async function readDocuments(rootDir: string): Promise<PackageFile[]> {
  const names = await readdir(join(rootDir, "docs"), { recursive: true });
  const pages = names
    .filter((name) => /\.(md|mjs|json)$/.test(name))
    .map((name) => posix.join("docs", ...name.split(sep)));
  const paths = ["README.md", "LICENSE", "CHANGELOG.md", ...pages.sort()];
  return Promise.all(paths.map(async (path) => ({ path, content: await readFile(join(rootDir, path), "utf8") })));
}

/** The same documents, but links to files that are not among them are plain text, and pictures are gone. */
export function withoutDeadLinks(documents: readonly PackageFile[]): PackageFile[] {
  const packed = new Set(documents.map(({ path }) => path));
  return documents.map((document) => {
    const { path, content } = document;
    if (!path.endsWith(".md") || typeof content !== "string") return document;
    const isAlive = (link: string): boolean =>
      /^([a-z]+:|#)/.test(link) || packed.has(posix.join(posix.dirname(path), link.replace(/#.*/, "")));
    const text = content
      .replace(/!\[[^\]]*\]\(([^)\s]+)\)\n*/g, (picture, link: string) => (isAlive(link) ? picture : ""))
      .replace(/\[([^\]]+)\]\(([^)\s]+)\)/g, (whole, words: string, link: string) => (isAlive(link) ? whole : words));
    return { ...document, content: text };
  });
}

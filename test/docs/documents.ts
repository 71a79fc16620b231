import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { rootDir } from "../support/package.ts";

/** A page of the documentation. */
export interface Document {
  /** Relative to the project. */
  path: string;
  text: string;
}

/** A fenced block. */
export interface Block {
  document: string;
  /** What stands behind the opening fence, such as `sh` or `sh platform`. */
  kind: string;
  lines: string[];
}

const folders = ["docs", "test"];

export async function readDocuments(): Promise<Document[]> {
  const nested = await Promise.all(
    folders.map(async (folder) => {
      const names = await readdir(join(rootDir, folder), { recursive: true });
      return names.filter((name) => name.endsWith(".md")).map((name) => join(folder, name));
    }),
  );
  const top = (await readdir(rootDir)).filter((name) => name.endsWith(".md"));
  const paths = [...top, ...nested.flat()].sort();
  return Promise.all(paths.map(async (path) => ({ path, text: await readFile(join(rootDir, path), "utf8") })));
}

/** The fenced blocks of a document; a fence may be indented, as in a list. */
export function blocksOf({ path, text }: Document): Block[] {
  const found = text.matchAll(/^( *)```([^\n]*)\n(.*?)^\1```$/gms);
  return [...found].map(([, , kind = "", content = ""]) => ({
    document: path,
    kind: kind.trim(),
    lines: content.split("\n").map((line) => line.trim()),
  }));
}

/** What is left of a document without its fenced blocks. */
export function proseOf({ text }: Document): string {
  return text.replace(/^( *)```.*?^\1```$/gms, "");
}

/** Texts in single backticks. */
export function inlineCode(document: Document): string[] {
  return [...proseOf(document).matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
}

/** Anchors of the headings, as GitHub makes them. */
export function anchorsOf(document: Document): string[] {
  return [...proseOf(document).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-"),
  );
}

/** Targets of links and pictures that lead to files or headings of the project. */
export function localLinks(document: Document): string[] {
  const links = [...proseOf(document).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
  return links.filter((link) => !/^[a-z]+:/.test(link));
}

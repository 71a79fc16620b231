import { describe, expect, it } from "@jest/globals";
import { existsSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { manifest } from "../../src/generated/manifest.ts";
import { kebabCase } from "../../src/manifest/rules.ts";
import { rootDir } from "../support/package.ts";
import { anchorsOf, blocksOf, type Document, inlineCode, localLinks, readDocuments } from "./documents.ts";

const documents = await readDocuments();
const byPath = new Map(documents.map((document) => [document.path, document]));
const exists = (path: string): boolean => existsSync(join(rootDir, path));

function page(path: string): Document {
  const document = byPath.get(path);
  if (document === undefined) throw new Error(`${path} is missing.`);
  return document;
}

function section({ path, text }: Document, heading: string): Document {
  const [, rest = ""] = text.split(`\n## ${heading}\n`);
  return { path, text: rest.split("\n## ")[0] ?? "" };
}

/** The link's file exists and has its heading. */
function leadsSomewhere({ path }: Document, link: string): boolean {
  const [file = "", anchor] = link.split("#");
  const target = file === "" ? path : normalize(join(dirname(path), file));
  if (!exists(target)) return false;
  const linked = byPath.get(target);
  return anchor === undefined || (linked !== undefined && anchorsOf(linked).includes(anchor));
}

describe.each(documents.map((document) => [document.path, document] as const))("%s", (_, document) => {
  it("links to files and headings that exist", () => {
    expect(localLinks(document).filter((link) => !leadsSomewhere(document, link))).toEqual([]);
  });

  it("names files that exist", () => {
    const top =
      /^(?:actions|bench|connectors|docs|grouping-rules|jobs|mappings|playbooks|sandbox|scripts|src|test|widgets)\//;
    const paths = inlineCode(document).filter((code) => top.test(code) && !/[<*…\s]|^src\/generated/.test(code));
    // docs/security.md names tests without the folder and the ending.
    expect(paths.filter((path) => !exists(path) && !exists(`test/${path}.test.ts`))).toEqual([]);
  });

  it("says of each block whether it holds commands", () => {
    const kinds = ["sh", "sh platform", "text", "json", "js", "ts", "yaml", "toml"];
    expect(blocksOf(document).filter(({ kind }) => !kinds.includes(kind))).toEqual([]);
  });

  it("installs package files by a path that npm does not take for a repository", () => {
    const installed = [...document.text.matchAll(/\bnpm install (?:--\S+ )*([^\s`]+\.tgz)/g)].map(
      ([, path = ""]) => path,
    );
    expect(installed.filter((path) => /^[\w-]+\//.test(path))).toEqual([]);
  });
});

describe("the documentation", () => {
  it("begins with a README of 8 KB at most", () => {
    expect(statSync(join(rootDir, "README.md")).size).toBeLessThanOrEqual(8_192);
  });

  it("shows pictures of 60 KB at most", () => {
    const pictures = documents.flatMap((document) =>
      localLinks(document)
        .filter((link) => /\.(png|svg)$/.test(link))
        .map((link) => join(dirname(document.path), link)),
    );
    expect(pictures.length).toBeGreaterThan(4);
    expect(pictures.filter((picture) => statSync(join(rootDir, picture)).size > 60_000)).toEqual([]);
  });

  it("can be reached from the README, page by page", () => {
    const seen = new Set<string>();
    const queue = ["README.md"];
    for (const path of queue) {
      if (seen.has(path)) continue;
      seen.add(path);
      const links = byPath.has(path) ? localLinks(page(path)) : [];
      queue.push(...links.map((link) => normalize(join(dirname(path), link.split("#")[0] ?? ""))));
    }
    expect(documents.map(({ path }) => path).filter((path) => !seen.has(path))).toEqual([]);
  });
});

describe("docs/security.md", () => {
  it("names tests that exist", () => {
    const named = page("docs/security.md").text.match(/^_Tests:_.*?(?=\n\n)/gms) ?? [];
    const tests = named.flatMap((text) =>
      [...text.matchAll(/`([a-z-]+(?:\/[a-z-]+)+)`/g)].map(([, path = ""]) => path),
    );
    expect(tests.length).toBeGreaterThan(15);
    expect(tests.filter((path) => !exists(`test/${path}`) && !exists(`test/${path}.test.ts`))).toEqual([]);
  });
});

describe("the fields of events", () => {
  const fields = inlineCode(section(page("docs/host-contract.md"), "Event fields")).filter((code) => /_/.test(code));

  it("are described as they are made", async () => {
    const { flatten } = await import("../../src/ingestion/mapping/flatten.ts");
    const source = flatten.toString();
    const unknown = fields.filter((field) => !field.endsWith("_") && !new RegExp(`\\b${field}:`).test(source));
    expect(fields.length).toBeGreaterThan(30);
    expect(unknown).toEqual([]);
  });

  it("are all that the analyst guide speaks of", () => {
    const guide = page("docs/analyst-guide.md");
    const known = [...fields, "short_remediation", "long_remediation", "relationship_isinherited"];
    const named = inlineCode(guide).filter((code) => /^[a-z]+(_[a-z]+)+$/.test(code));
    const shown = blocksOf(guide).flatMap(({ kind, lines }) =>
      kind === "json" ? Object.keys(JSON.parse(lines.join("\n")) as object) : [],
    );
    expect(named.length).toBeGreaterThan(10);
    expect([...named, ...shown].filter((field) => field.includes("_") && !known.includes(field))).toEqual([]);
  });
});

it("the guide for n8n lists every action and every job as an operation", () => {
  const operations = section(page("docs/n8n.md"), "Operations");
  const names = [...manifest.actions, ...manifest.jobs].map(({ name }) => name);
  expect(names.filter((name) => !operations.text.includes(`| **${name}** `))).toEqual([]);
});

describe("the steps to add an action", () => {
  const files = inlineCode(section(page("CONTRIBUTING.md"), "Add an action")).filter((code) =>
    /^\S+\/<name>/.test(code),
  );
  const fileOf = (path: string, action: string): string => path.replace("<name>", kebabCase(action));

  it("name the files that the actions have", () => {
    const [optional, required] = [
      files.filter((file) => !file.startsWith("actions/")),
      files.filter((file) => file.startsWith("actions/")),
    ];
    expect([optional.length, required.length]).toEqual([2, 1]);
    const missing = manifest.actions.flatMap(({ name }) =>
      required.map((file) => fileOf(file, name)).filter((file) => !exists(file)),
    );
    expect(missing).toEqual([]);
    expect(manifest.actions.some(({ name }) => optional.every((file) => exists(fileOf(file, name))))).toBe(true);
  });
});

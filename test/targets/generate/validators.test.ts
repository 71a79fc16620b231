import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import * as validators from "../../../src/generated/validators.js";
import { generateValidators } from "../../../src/targets/generate/validators.ts";

const rootDir = resolve(import.meta.dirname, "../../..");
const folders: string[] = [];
let code: string;
let declarations: string;

async function generate(): Promise<[string, string]> {
  const folder = await mkdtemp(join(tmpdir(), "validators-"));
  folders.push(folder);
  await generateValidators(rootDir, folder);
  return [
    await readFile(join(folder, "validators.js"), "utf8"),
    await readFile(join(folder, "validators.d.ts"), "utf8"),
  ];
}

beforeAll(async () => {
  [code, declarations] = await generate();
});

afterAll(async () => {
  await Promise.all(folders.map((folder) => rm(folder, { recursive: true })));
});

describe("the generated validators", () => {
  it("are the same bytes each time", async () => {
    await expect(generate()).resolves.toEqual([code, declarations]);
  });

  it("load nothing at run time", () => {
    expect(code).not.toMatch(/\brequire\(|\bimport\b/);
  });

  it("are those that the project has now", async () => {
    await expect(readFile(join(rootDir, "src/generated/validators.js"), "utf8")).resolves.toBe(code);
    await expect(readFile(join(rootDir, "src/generated/validators.d.ts"), "utf8")).resolves.toBe(declarations);
  });

  it("declare what they export", () => {
    const exported = [...code.matchAll(/export const (\w+)/g)].map((match) => match[1]).sort();
    const declared = [...declarations.matchAll(/export declare const (\w+)/g)].map((match) => match[1]).sort();
    expect(declared).toEqual(exported);
    expect(exported).toEqual(
      Object.keys(validators)
        .filter((name) => name !== "default")
        .sort(),
    );
  });

  it.each(Object.entries(validators).filter(([name]) => name.startsWith("validate")))(
    "%s lets missing and unknown fields pass and refuses what is no record",
    (_, validate) => {
      expect(validate({})).toBe(true);
      expect(validate({ anUnknownField: [1, { x: null }] })).toBe(true);
      expect(validate("text")).toBe(false);
      expect(validate([])).toBe(false);
    },
  );

  it("take null for absent in every place and report every misfit with its path", () => {
    const { validateUser } = validators;
    expect(validateUser({ id: null, AuthSecret: null, roles: [{ permissions: null, deleted_at: null }] })).toBe(true);
    expect(
      validateUser({ id: 7, first_name: { string: 1, valid: true }, roles: [{ permissions: [{ id: "x" }] }] }),
    ).toBe(false);
    expect(validateUser.errors?.map(({ instancePath }) => instancePath).sort()).toEqual([
      "/first_name/string",
      "/id",
      "/roles/0/permissions/0/id",
    ]);
  });
});

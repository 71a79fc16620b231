import { link, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import * as validators from "../../src/generated/validators.js";
import * as onDemand from "../../src/generated/validators-on-demand.js";
import { generateManifest } from "../../src/codegen/manifest.ts";
import { generateOwnValidators } from "../../src/codegen/own-validators.ts";
import { validatorFiles } from "../../src/codegen/record-types.ts";
import { generateValidators } from "../../src/codegen/validators.ts";
import { rootDir } from "../support/package.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const folder = temporaryFolder();
const all = ["manifest.ts", "modules.ts", ...validatorFiles];
/** Text of each file by its name. */
let files: Record<string, string>;

async function readAll(folder: string): Promise<Record<string, string>> {
  const texts = validatorFiles.map(async (name) => [name, await readFile(join(folder, name), "utf8")] as const);
  return Object.fromEntries(await Promise.all(texts));
}

beforeAll(async () => {
  for (const path of all.map((name) => join(folder, name))) {
    await writeFile(path, "before");
    await link(path, `${path}.before`);
  }
  const generators = [generateManifest, generateValidators, generateOwnValidators];
  await Promise.all(generators.map((write) => write(rootDir, folder)));
  files = await readAll(folder);
});

describe("the generated files", () => {
  it("are replaced whole, so that a build beside it reads no half of one", async () => {
    const lengths = await Promise.all(all.map(async (name) => (await readFile(join(folder, `${name}.before`))).length));
    expect(new Set(lengths)).toEqual(new Set(["before".length]));
  });
});

describe("the generated validators", () => {
  it("load nothing at run time", () => {
    for (const name of validatorFiles.filter((file) => file.endsWith(".js"))) {
      expect(files[name]).not.toMatch(/\brequire\(|\bimport\b/);
    }
  });

  it("are the same bytes each time: those that the project has now", async () => {
    await expect(readAll(join(rootDir, "src/generated"))).resolves.toEqual(files);
  });

  it.each([
    ["validators", validators],
    ["validators-on-demand", onDemand],
  ])("declare what they export: %s", (name, module) => {
    const names = (file: string, pattern: RegExp) =>
      [...(files[file] ?? "").matchAll(pattern)].map((match) => match[1]);
    const exported = names(`${name}.js`, /export const (\w+)/g).sort();
    expect(names(`${name}.d.ts`, /export declare const (\w+)/g).sort()).toEqual(exported);
    const present = Object.keys(module).filter((key) => key !== "default");
    expect(present.sort()).toEqual(exported);
  });

  it.each(Object.entries({ ...validators, ...onDemand }).filter(([name]) => name.startsWith("validate")))(
    "%s lets missing and unknown fields pass and refuses what is no record",
    (_, validate) => {
      expect(validate({})).toBe(true);
      expect(validate({ anUnknownField: [1, { x: null }] })).toBe(true);
      expect(validate("text")).toBe(false);
      expect(validate([])).toBe(false);
    },
  );

  it("take null for absent in every place and report every invalid value with its path", () => {
    const { validateUser } = onDemand;
    expect(validateUser({ id: null, AuthSecret: null, roles: [{ permissions: null, deleted_at: null }] })).toBe(true);
    expect(validateUser({ id: 7, principal_name: 1, roles: [{ permissions: [{ id: "x" }] }] })).toBe(false);
    expect(validateUser.errors?.map(({ instancePath }) => instancePath).sort()).toEqual([
      "/id",
      "/principal_name",
      "/roles/0/permissions/0/id",
    ]);
  });

  it("name the fields that are declared as nullable wrappers, at any depth", () => {
    expect(validators.validateFinding.nullables).toEqual({ deleted_at: "time", ComboGraphRelationID: "int64" });
    expect(onDemand.validateClientTask.nullables).toEqual({
      event_id: "int32",
      domain_results: { deleted_at: "time" },
    });
    expect(onDemand.validateUser.nullables).toMatchObject({
      email_address: "string",
      roles: { deleted_at: "time", permissions: { deleted_at: "time" } },
    });
  });
});

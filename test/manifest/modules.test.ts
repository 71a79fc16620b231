import { readdir } from "node:fs/promises";
import { resolve } from "node:path";
import { beforeAll, describe, expect, it } from "@jest/globals";
import { manifest } from "../../src/generated/manifest.ts";
import { systemClock } from "../../src/clock.ts";
import { Deadline } from "../../src/deadline.ts";
import type { Parameter } from "../../src/manifest/manifest.ts";
import { readSourceProject } from "../../src/manifest/project.ts";
import type { RunContext } from "../../src/runtime/modules.ts";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import { rootDir } from "../support/package.ts";
import { startTenant } from "../support/tenant.ts";

describe("what the manifest declares and what the code does", () => {
  let tenant: Tenant;
  beforeAll(async () => {
    tenant = await startTenant({ dataset: { environments: 1, findingTypes: 1, findingsPerPair: 1 } });
  });

  it.each(["actions", "connectors", "jobs"] as const)("agree on the modules in %s/", async (folder) => {
    const modules = (await readdir(resolve(rootDir, folder))).map((name) => `${folder}/${name}`);
    expect(modules.sort()).toEqual(manifest[folder].map(({ entry }) => entry).sort());
  });

  it.each(manifest.actions.map((action) => [action.name, action] as const))(
    "agree on the name and the parameters of the action %s",
    async (name, { entry, parameters }) => {
      const module = await entryModule(entry);
      expect({ kind: module.kind, name: module.name }).toEqual({ kind: "action", name });
      const instanceBag = recordingBag(manifest.instance.parameters, tenant);
      const bag = recordingBag(parameters, tenant);
      await settle(
        module.run({ ...context(), instance: instanceBag.values, parameters: bag.values, state: null, context: {} }),
      );
      expect(instanceBag.read()).toEqual(namesOf(manifest.instance.parameters));
      expect(bag.read()).toEqual(namesOf(parameters));
    },
  );

  it.each(manifest.connectors.map((connector) => [connector.name, connector] as const))(
    "agree on the name and the fields of the connector %s",
    async (name, { entry, fields }) => {
      const module = await entryModule(entry);
      expect({ kind: module.kind, name: module.name }).toEqual({ kind: "connector", name });
      const bag = recordingBag(fields, tenant);
      await settle(module.run({ ...context(), parameters: bag.values, state: null, deliver: () => Promise.resolve() }));
      expect(bag.read()).toEqual(namesOf(fields.filter((field) => !("readBy" in field))));
    },
  );

  it.each(manifest.jobs.map((job) => [job.name, job] as const))(
    "agree on the name and the parameters of the job %s",
    async (name, { entry, parameters }) => {
      const module = await entryModule(entry);
      expect({ kind: module.kind, name: module.name }).toEqual({ kind: "job", name });
      const bag = recordingBag(parameters, tenant);
      await settle(
        module.run({ ...context(), parameters: bag.values, alerts: [], state: null, change: () => Promise.resolve() }),
      );
      expect(bag.read()).toEqual(namesOf(parameters));
    },
  );

  it("agree with the mappings, the grouping rules and package.json", async () => {
    const project = await readSourceProject(rootDir);
    expect(project.manifest).toEqual(manifest);
  });

  it("give every connector the fields of the service document", () => {
    for (const { fields } of manifest.connectors) {
      expect(namesOf(fields)).toEqual(
        expect.arrayContaining([
          "Server",
          "Token ID",
          "Token Key",
          "Selected Environments",
          "Selected Finding Types",
          "Run Every",
          "Product Field Name",
          "Event Field Name",
        ]),
      );
    }
  });
});

interface EntryModule {
  kind: string;
  name: string;
  run(context: object): Promise<unknown>;
}

async function entryModule(entry: string): Promise<EntryModule> {
  const { default: module } = (await import(`../../${entry}`)) as { default: EntryModule };
  return module;
}

function context(): RunContext {
  const quiet = () => undefined;
  return {
    run: { id: "contract", deadline: null, test: false },
    clock: systemClock,
    random: () => 0.5,
    deadline: new Deadline({ clock: systemClock, at: null }),
    log: { debug: quiet, info: quiet, warn: quiet, error: quiet },
    progress: quiet,
  };
}

/** Valid values for the parameters, which note who asks for them. Asking for all at once tells nothing, and throws. */
function recordingBag(parameters: readonly Parameter[], tenant: Tenant) {
  const own: Record<string, unknown> = { Server: tenant.url, "Token ID": tenant.tokenId, "Token Key": tenant.tokenKey };
  const values = Object.fromEntries(
    parameters.map((parameter) => [parameter.name, own[parameter.name] ?? sample(parameter)]),
  );
  const names = new Set<string>();
  const bag = new Proxy(values, {
    get(target, name) {
      if (typeof name === "string") names.add(name);
      return Reflect.get(target, name) as unknown;
    },
    ownKeys() {
      throw new Error("An entry point reads its parameters by name.");
    },
  });
  return { values: bag, read: () => [...names].sort() };
}

function sample({ type, default: preset }: Parameter): unknown {
  if (type === "list") return [preset ?? "ALICE@EXAMPLE.LOCAL"];
  return preset ?? (type === "string" ? "ALICE@EXAMPLE.LOCAL" : type === "integer" ? 1 : true);
}

/** What the run answers is tested elsewhere; here it matters what it read on its way. */
async function settle(run: Promise<unknown>): Promise<void> {
  await run.catch(() => undefined);
}

function namesOf(parameters: readonly Parameter[]): string[] {
  return parameters.map(({ name }) => name).sort();
}

import { beforeEach, describe, expect, it } from "@jest/globals";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { playbooksIn } from "../../src/deploy/artefacts.ts";
import { readBackup } from "../../src/deploy/backup.ts";
import { restoreSteps } from "../../src/deploy/plan.ts";
import { type PlatformPlaybook, zipOfPlaybooks } from "../../src/packaging/google-secops/playbook.ts";
import { Deployment } from "./deployment.ts";
import { IMPORT_PLAYBOOKS, type StandIn, startPlatform } from "./platform.ts";
import { artefacts, manifest, playbooksOf } from "./project.ts";

let platform: StandIn;
let deployment: Deployment;
beforeEach(async () => {
  platform = await startPlatform();
  deployment = new Deployment(platform);
});

const [TRIAGE, DISTANCE] = ["Attack Path Triage", "Tier Zero Distance"] as const;
const all = async () => ({ ...(await artefacts()), playbooks: await playbooksOf(manifest.playbooks) });

async function installed(name: string): Promise<PlatformPlaybook> {
  const stored = [...platform.playbooks.values()].find((each) => each.name === name);
  const [playbook] = await playbooksIn(Buffer.from(stored!.zip, "base64"), name);
  return playbook!;
}

/** Changes a playbook on the platform. */
async function edit(name: string, change: (playbook: PlatformPlaybook) => void): Promise<void> {
  const playbook = await installed(name);
  change(playbook);
  const zip = await zipOfPlaybooks([playbook]);
  platform.playbooks.set(playbook.Definition.Identifier, { name, zip: zip.toString("base64") });
}

describe("a playbook", () => {
  beforeEach(() => deployment.run());

  it("shows the widget of each step that has one, and the entities, on the platform", async () => {
    const { playbooks } = await artefacts();
    const stored = [...platform.playbooks.values()].map(({ zip: blob }) => Buffer.from(blob, "base64"));
    expect(stored).toEqual([await zipOfPlaybooks(playbooks!)]);
    const [{ OverviewTemplatesDetails }] = playbooks! as [PlatformPlaybook];
    expect(OverviewTemplatesDetails[0]!.OverviewTemplate.Widgets.map(({ Title }) => Title)).toEqual([
      "Check Findings",
      "Describe Ends",
      "Describe Exposed Objects",
      "Entities Highlights",
    ]);
  });

  it("is recognised although the platform gave steps other identifiers and added fields", async () => {
    await edit(TRIAGE, (playbook) => {
      const text = JSON.stringify(playbook).replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) =>
        id.replace(/^./, "f"),
      );
      Object.assign(playbook, JSON.parse(text));
      Object.assign(playbook.Definition, { Version: 3.1, ModifiedBy: "admin" });
    });
    await deployment.run();
    expect(deployment.said("Playbook")).toEqual(['Playbook "Attack Path Triage": already the same.']);
  });

  it("says what somebody changed in it, and that this will be lost", async () => {
    const before = await installed(TRIAGE);
    await edit(TRIAGE, ({ Definition, OverviewTemplatesDetails }) => {
      Definition.Steps[0]!.ActionName = "Other_Action";
      Definition.Steps.push({ ...Definition.Steps[0]!, Identifier: "notify", InstanceName: "Notify" });
      const { OverviewTemplate } = OverviewTemplatesDetails[0]!;
      OverviewTemplate.Widgets[1]!.DataDefinitionJson = '{"htmlContent":"<p>mine</p>"}';
      OverviewTemplate.Widgets.pop();
    });
    await deployment.run();
    expect(deployment.said("Playbook")).toEqual([
      'Playbook "Attack Path Triage": differs and will be replaced, with everything that was changed in it there. Whether it is enabled, its environments and its priority stay.',
      'step "Form of the Findings": other action',
      'widget "Describe Ends": other HTML',
      'widget "Entities Highlights": not on the platform',
      'step "Notify": only on the platform',
    ]);
    expect(deployment.writes()).toEqual([IMPORT_PLAYBOOKS]);
    expect(await installed(TRIAGE)).toEqual(before);
  });

  it("gets its widgets where an earlier version without them is installed", async () => {
    await edit(TRIAGE, (playbook) => {
      playbook.OverviewTemplatesDetails = [];
      playbook.Definition.OverviewTemplates = [];
    });
    await deployment.run({ dryRun: true });
    expect(deployment.said("Playbook").slice(1)).toHaveLength(4);
    expect(deployment.said("Playbook")[1]).toBe('widget "Check Findings": not on the platform');
  });
});

describe("several playbooks", () => {
  async function settings(name: string): Promise<unknown[]> {
    const { Definition } = await installed(name);
    return [Definition["IsEnable"], Definition["Environments"], Definition["Priority"], Definition.Triggers[0]];
  }

  beforeEach(async () => {
    await deployment.run({ artefacts: await all() });
    await edit(TRIAGE, ({ Definition }) => {
      Object.assign(Definition, { IsEnable: false, Environments: ["Acme"], Priority: 1 });
    });
    await edit(DISTANCE, ({ Definition }) => {
      Object.assign(Definition, { IsEnable: true });
      Object.assign(Definition.Triggers[0]!, { IsEnabled: false, Environments: ["Acme", "Umbrella"] });
    });
  });

  it("need nothing when only their settings were changed on the platform", async () => {
    await deployment.run({ artefacts: await all() });
    expect(deployment.lines.at(-1)).toBe("Nothing to do.");
  });

  it("are replaced one by one, and stay enabled, disabled or limited to environments as they were", async () => {
    await edit(DISTANCE, ({ Definition }) => {
      Definition.Description = "of an older version";
    });
    const [triage, distance] = [await settings(TRIAGE), await settings(DISTANCE)];
    await deployment.run({ artefacts: await all() });
    expect(deployment.said(`Playbook "${TRIAGE}"`)).toEqual([`Playbook "${TRIAGE}": already the same.`]);
    expect(deployment.said(`Playbook "${DISTANCE}"`)).toEqual([
      expect.stringMatching(/: differs and will be replaced, .* its environments and its priority stay\.$/),
      "playbook: other Description",
    ]);
    expect((await installed(DISTANCE)).Definition.Description).not.toBe("of an older version");
    expect([await settings(TRIAGE), await settings(DISTANCE)]).toEqual([triage, distance]);
    expect(platform.violations).toEqual([]);
  });

  it("are put back with everything that the platform had, even what no deployment compares", async () => {
    await edit(DISTANCE, ({ Definition }) => {
      Definition.Description = "of an older version";
      Definition.Steps[0]!.Parameters[0]!.Value = "chosen by an admin";
    });
    const before = await installed(DISTANCE);
    await deployment.run({ artefacts: await all() });
    await edit(DISTANCE, ({ Definition }) => {
      Definition.Description = "of an older version";
      Object.assign(Definition, { IsEnable: false });
    });
    const [folder] = await readdir(deployment.backups);
    const saved = await readBackup(join(deployment.backups, folder!));
    await deployment.run({ steps: (api) => restoreSteps(api, saved) });
    expect(deployment.said("Playbook").slice(0, 2)).toEqual([
      `Playbook "${DISTANCE}": will be replaced by the saved one.`,
      "playbook: other IsEnable",
    ]);
    expect(await installed(DISTANCE)).toEqual(before);
    await deployment.run({ steps: (api) => restoreSteps(api, saved) });
    expect(deployment.lines.at(-1)).toBe("Nothing to do.");
  });

  it("keep the settings that all of several triggers have", async () => {
    await edit(DISTANCE, ({ Definition }) => {
      Definition.Triggers.push({ ...Definition.Triggers[0]!, Environments: ["Acme"] });
    });
    await deployment.run({ artefacts: await all() });
    const [, , , trigger] = await settings(DISTANCE);
    expect(trigger).toMatchObject({ IsEnabled: false, Environments: ["*"] });
  });

  it("are compared although the platform writes lists without entries as null", async () => {
    await edit(TRIAGE, ({ Definition }) => {
      Object.assign(Definition.Steps[0]!, { ParentStepIdentifiers: null, Parameters: null });
    });
    expect(await deployment.run({ artefacts: await all() })).toBe(true);
    expect(deployment.errors).toEqual([]);
  });
});

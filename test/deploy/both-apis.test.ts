import { beforeEach, describe, expect, it } from "@jest/globals";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { readBackup } from "../../src/deploy/backup.ts";
import { restoreSteps } from "../../src/deploy/plan.ts";
import { type Step, STEPS } from "../../src/deploy/steps.ts";
import { zip } from "../../src/packaging/zip.ts";
import * as chronicle from "./chronicle-platform.ts";
import { Deployment, TODAY } from "./deployment.ts";
import * as legacy from "./platform.ts";
import { artefacts, packageFiles } from "./project.ts";
import type { StandIn } from "./stand-in.ts";

const apis = [
  { api: "legacy", start: legacy.startPlatform, ...legacy, grouping: "SourceGroupingIdentifier" },
  { api: "Chronicle", start: chronicle.startChronicle, ...chronicle, grouping: "SOURCE_GROUPING_IDENTIFIER" },
];

describe.each(apis)(
  "a deployment by the $api API",
  ({ start, ASSIGN, IMPORT_PACKAGE, IMPORT_PLAYBOOKS, RULES, grouping }) => {
    let platform: StandIn;
    let deployment: Deployment;
    beforeEach(async () => {
      platform = await start();
      deployment = new Deployment(platform);
    });
    const restore = async (folder: string): Promise<boolean> => {
      const saved = await readBackup(folder);
      return deployment.run({ steps: (api) => restoreSteps(api, saved) });
    };

    it("installs everything, and keeps to the contract in every request", async () => {
      expect(await deployment.run()).toBe(true);
      expect(platform.violations).toEqual([]);
      expect(deployment.errors).toEqual([]);
      expect(deployment.writes()).toEqual([
        IMPORT_PACKAGE,
        expect.stringMatching(/AddOrUpdate|^PATCH .*ontologyRecords/),
        `POST ${RULES}`,
        IMPORT_PLAYBOOKS,
      ]);
      expect(await readdir(deployment.backups)).toEqual([]);
    });

    it("finds nothing to do the second time", async () => {
      await deployment.run();
      expect(await deployment.run()).toBe(true);
      expect(deployment.lines.at(-1)).toBe("Nothing to do.");
      expect(deployment.writes()).toEqual([]);
    });

    it("changes nothing with --dry-run", async () => {
      await deployment.run({ dryRun: true });
      expect(deployment.lines.at(-1)).toBe("Nothing was changed (--dry-run).");
      expect(deployment.writes()).toEqual([]);
    });

    it("saves what it replaces in a folder with the date, prints it, and puts it back from there", async () => {
      await deployment.run({ grouping: "source-grouping-identifier" });
      const [[identifier, { name, zip: ours }]] = [...platform.playbooks] as [[string, { name: string; zip: string }]];
      const edited = JSON.parse(JSON.stringify((await artefacts()).playbooks![0])) as {
        Definition: { Description: string };
      };
      edited.Definition.Description = "edited on the platform";
      const theirs = (await zip([{ path: "p.json", content: JSON.stringify(edited) }])).toString("base64");
      platform.playbooks.set(identifier, { name, zip: theirs });

      expect(await deployment.runWith(packageFiles(2), { grouping: "source-domain" })).toBe(true);
      expect(platform.playbooks.get(identifier)?.zip).toBe(ours);
      const [folder, ...others] = await readdir(deployment.backups);
      expect(others).toEqual([]);
      expect(folder).toMatch(new RegExp(`-${TODAY}$`));
      const path = join(deployment.backups, folder!);
      expect(deployment.lines.find((line) => line.startsWith("  What is replaced is saved in"))).toContain(folder);
      expect((await readdir(path)).sort()).toEqual(["backup.json", "package.zip", "playbook-1.zip"]);

      expect(await restore(path)).toBe(true);
      expect(platform.violations).toEqual([]);
      expect(deployment.said("Integration").at(-1)).toMatch(/has no widgets.*--package.*--reinstall\.$/);
      expect(platform.integrations).toMatchObject([{ version: 1 }]);
      expect(platform.rules).toMatchObject([{ groupingType: grouping }]);
      expect(platform.playbooks.get(identifier)?.zip).toBe(theirs);
      // What the restoration has replaced is saved too, and does not overwrite the first folder.
      expect(await readdir(deployment.backups)).toContain(`${folder}-2`);
      expect(await restore(path)).toBe(true);
      expect(deployment.lines.at(-1)).toBe("Nothing to do.");
      platform.rules = [];
      await restore(path);
      expect(platform.rules).toMatchObject([{ groupingType: grouping }]);
      expect(platform.violations).toEqual([]);
    });

    it("replaces nothing that it cannot save", async () => {
      await deployment.run();
      const file = join(deployment.backups, "a-file");
      await writeFile(file, "in the way");
      expect(await deployment.runWith(packageFiles(2), { backups: file })).toBe(false);
      expect(deployment.errors[0]).toMatch(
        /^package: What is on the platform could not be saved .* It was not replaced\.$/,
      );
      expect(deployment.writes()).toEqual([]);
    });

    it("sends nothing when its credentials are refused", async () => {
      platform.answers.set(platform.target.generation === "legacy" ? legacy.CHECK_ACCESS : chronicle.CHECK_ACCESS, {
        status: 401,
      });
      await expect(deployment.run()).rejects.toThrow(/does not accept the (API key|access token)/);
      expect(platform.requests).toHaveLength(1);
    });

    it.each(STEPS)("takes what does not need it when %s is refused, and the rest the next time", async (step) => {
      const writes = {
        package: IMPORT_PACKAGE,
        family: ASSIGN,
        grouping: `POST ${RULES}`,
        playbook: IMPORT_PLAYBOOKS,
      };
      platform.answers.set(writes[step], { status: 503 });
      expect(await deployment.run()).toBe(false);
      const left: Step[] = step === "package" ? ["package", "family", "playbook"] : [step];
      const takesNot = new Set<Step>(left.slice(1));
      expect(deployment.writes()).toEqual(STEPS.flatMap((one) => (takesNot.has(one) ? [] : [writes[one]])));
      expect(deployment.errors).toEqual([
        expect.stringMatching(new RegExp(`^${step}: Could not .*status 503`)),
        expect.stringMatching(new RegExp(`^Not done: ${left.join()}\\. .* --only ${left.join()}\\.$`)),
      ]);
      platform.answers.clear();
      expect(await deployment.run()).toBe(true);
      expect(deployment.writes()).toEqual(left.map((one) => writes[one]));
    });
  },
);

describe("the lists of the Chronicle API", () => {
  it.each([
    ["integrations", `GET /v1beta/${chronicle.INSTANCE}/integrations`, "package"],
    ["ontologyRecords", `GET /v1alpha/${chronicle.INSTANCE}/ontologyRecords`, "family"],
  ])("end when a page of %s is repeated for ever", async (list, request, step) => {
    const platform = await chronicle.startChronicle();
    const deployment = new Deployment(platform);
    const body = JSON.stringify({ [list]: [{ name: "one", identifier: "one" }], nextPageToken: "same" });
    platform.answers.set(request, { status: 200, body });
    expect(await deployment.run()).toBe(false);
    expect(deployment.errors[0]).toMatch(
      new RegExp(`^${step}: .*the answer has no page that differs from those before\\. .*by hand`),
    );
  });
});

describe("the visual family by the Chronicle API", () => {
  let platform: StandIn;
  let deployment: Deployment;
  beforeEach(async () => {
    platform = await chronicle.startChronicle();
    deployment = new Deployment(platform);
  });

  it("takes the place of another one, which is saved and put back", async () => {
    const record = platform.records[3]!;
    record["visualFamily"] = `${chronicle.RECORD}/visualFamilies/1`;
    await deployment.run();
    expect(record["visualFamily"]).toBe(`${chronicle.RECORD}/visualFamilies/2`);
    expect(deployment.said("Visual family")[0]).toMatch(/instead of "Network"\.$/);
    const [folder] = await readdir(deployment.backups);
    const path = join(deployment.backups, folder!);
    expect(JSON.parse(await readFile(join(path, "backup.json"), "utf8"))).toMatchObject({
      platform: chronicle.INSTANCE,
      families: [{ family: "Network" }],
    });
    const saved = await readBackup(path);
    await deployment.run({ steps: (api) => restoreSteps(api, saved) });
    expect(record["visualFamily"]).toBe(`${chronicle.RECORD}/visualFamilies/1`);
    expect(platform.violations).toEqual([]);
  });

  it.each([
    ["refuses", { status: 400 }],
    ["accepts without effect", { status: 200, body: "{}" }],
  ])("is no mistake of the user when the platform %s the guess", async (_, answer) => {
    platform.answers.set(chronicle.ASSIGN, answer);
    expect(await deployment.run()).toBe(false);
    expect(deployment.errors[0]).toMatch(
      /^family: .*The request is a guess, so this is no mistake of yours: .*by hand/,
    );
    expect(deployment.errors[0]).not.toMatch(/permission|Check/);
    expect(platform.playbooks.size).toBe(1);
  });

  it("waits for the first alert where the platform does not know the product", async () => {
    platform.records = platform.records.slice(0, 3);
    expect(await deployment.run()).toBe(true);
    expect(deployment.said("Visual family")).toEqual([
      'Visual family "Attack Path Findings": can be assigned to the product Attack Path Analysis once its first alert has arrived. Run the command with --only family then.',
    ]);
    expect(deployment.lines.at(-1)).toBe("Done.");
  });

  it("is assigned again where the record names one that was deleted", async () => {
    const record = platform.records[3]!;
    record["visualFamily"] = `${chronicle.RECORD}/visualFamilies/9`;
    platform.answers.set(`GET /v1beta/${chronicle.RECORD}/visualFamilies/9`, { status: 404, body: "{}" });
    expect(await deployment.run()).toBe(true);
    expect(record["visualFamily"]).toBe(`${chronicle.RECORD}/visualFamilies/2`);
  });
});

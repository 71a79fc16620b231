import { beforeEach, describe, expect, it } from "@jest/globals";
import { Deployment } from "./deployment.ts";
import { ASSIGN, RULES, type StandIn, startPlatform } from "./platform.ts";
import { parseTarget } from "../../src/deploy/target.ts";

let platform: StandIn;
let deployment: Deployment;
beforeEach(async () => {
  platform = await startPlatform();
  deployment = new Deployment(platform);
});

const RECORDS = "POST /api/external/v1/ontology/GetOntologyStatusRecords";

describe("a deployment to an empty platform", () => {
  it("says what it will do, does it, and keeps to the contract of the platform in every request", async () => {
    await deployment.run();
    expect(deployment.lines).toEqual([
      `On ${platform.root}:`,
      "  Integration attack_path_analysis: version 1 will be installed.",
      '  Visual family "Attack Path Findings": will be assigned to the product Attack Path Analysis.',
      "  Alert grouping rule: will be created: group by SourceGroupingIdentifier.",
      '  Playbook "Attack Path Triage": will be created.',
      "  Integration attack_path_analysis: done.",
      '  Visual family "Attack Path Findings": done.',
      "  Alert grouping rule: done.",
      '  Playbook "Attack Path Triage": done.',
      expect.stringMatching(/^Done\./),
    ]);
    expect(platform.violations).toEqual([]);
    expect(platform.integrations).toMatchObject([{ identifier: "attack_path_analysis", version: 1 }]);
    expect(platform.rules).toEqual([
      {
        id: 41,
        name: "projects//locations//instances//alertGroupingRules/41",
        category: "DataSource",
        categoryDetails: [{ identifier: "attack_path_analysis", displayName: "attack_path_analysis" }],
        groupingType: "SourceGroupingIdentifier",
        entityType: [],
      },
    ]);
    expect([...platform.playbooks.values()].map(({ name }) => name)).toEqual(["Attack Path Triage"]);
  });

  it("finds nothing to do the second time", async () => {
    await deployment.run();
    await deployment.run();
    expect(deployment.lines).toEqual([
      `On ${platform.root}:`,
      "  Integration attack_path_analysis: version 1 is installed with the same contents.",
      '  Visual family "Attack Path Findings": already assigned to the product Attack Path Analysis.',
      "  Alert grouping rule: already groups by SourceGroupingIdentifier.",
      '  Playbook "Attack Path Triage": already the same.',
      "Nothing to do.",
    ]);
    expect(deployment.writes()).toEqual([]);
  });

  it("changes nothing with --dry-run, and asks nobody", async () => {
    await deployment.run({ dryRun: true, confirm: () => Promise.reject(new Error("was asked")) });
    expect(deployment.lines.at(-1)).toBe("Nothing was changed (--dry-run).");
    expect(deployment.writes()).toEqual([]);
    expect(platform.violations).toEqual([]);
  });

  it("changes nothing when the answer is no", async () => {
    await deployment.run({ confirm: () => Promise.resolve(false) });
    expect(deployment.lines.at(-1)).toBe("Nothing was changed.");
    expect(deployment.writes()).toEqual([]);
  });
});

describe("the visual family", () => {
  const product = { source: "attack_path_analysis", product: "Attack Path Analysis" };
  const families = () => platform.records.filter(({ source }) => source === product.source);

  it("is assigned once, to the product", async () => {
    await deployment.run();
    expect(families()).toMatchObject([{ ...product, eventName: null, familyName: "Attack Path Findings" }]);
    await deployment.run();
    expect(families()).toHaveLength(1);
    expect(deployment.writes()).toEqual([]);
  });

  it("takes the place of another one, and leaves the families of single events alone", async () => {
    const event = { ...product, eventName: "T0GenericAll", familyName: "Custom" };
    platform.records.push({ ...product, eventName: null, familyName: "Network" }, event);
    await deployment.run();
    expect(deployment.said("Visual family")).toEqual([
      'Visual family "Attack Path Findings": will be assigned to the product Attack Path Analysis instead of "Network".',
    ]);
    expect(families()).toHaveLength(2);
    expect(families()).toContainEqual(event);
  });

  it("is left to the administrator on a platform whose API does not offer it", async () => {
    platform.answers.set(RECORDS, { status: 404 });
    await deployment.run();
    expect(deployment.said("Visual family")[0]).toMatch(/Assign it by hand: docs\/google-secops\.md\.$/);
    expect(deployment.writes()).not.toContain(ASSIGN);
  });
});

describe("the alert grouping rule", () => {
  const id = 9;
  const name = `projects//locations//instances//alertGroupingRules/${id}`;
  const categoryDetails = [{ identifier: "attack_path_analysis", displayName: "attack_path_analysis" }];
  const others = { id: 7, name: "r/7", category: "All", categoryDetails: [], groupingType: "None", entityType: [] };
  const users = { category: "DataSource", categoryDetails, groupingType: "Entities", entityType: ["SourceUserName"] };

  it("groups by the source domain on demand", async () => {
    await deployment.run({ grouping: "source-domain" });
    expect(platform.rules).toMatchObject([{ categoryDetails, groupingType: "Entities", entityType: ["SourceDomain"] }]);
    expect(platform.violations).toEqual([]);
  });

  it("is replaced by the one that was asked for, and says by what", async () => {
    await deployment.run();
    await deployment.run({ grouping: "source-domain" });
    expect(deployment.said("Alert grouping rule")).toEqual([
      "Alert grouping rule: will be replaced.",
      "group by Entities SourceDomain instead of SourceGroupingIdentifier",
    ]);
    expect(platform.rules).toMatchObject([{ id: 41, groupingType: "Entities", entityType: ["SourceDomain"] }]);
    expect(deployment.writes()).toEqual([`PATCH ${RULES}/41`]);
    expect(platform.violations).toEqual([]);
  });

  it("stays what was chosen before when nothing else is asked for", async () => {
    await deployment.run({ grouping: "source-domain" });
    await deployment.run();
    expect(deployment.said("Alert grouping rule")).toEqual([
      "Alert grouping rule: stays as it is: group by Entities SourceDomain. --grouping source-grouping-identifier replaces it.",
    ]);
    expect(deployment.lines.at(-1)).toBe("Nothing to do.");
  });

  it("replaces a rule for the same alerts and leaves the others alone", async () => {
    platform.rules = [others, { ...users, id, name }];
    await deployment.run({ grouping: "source-domain" });
    expect(deployment.said("Alert grouping rule")[1]).toBe(
      "group by Entities SourceDomain instead of Entities SourceUserName",
    );
    expect(platform.rules).toEqual([others, { ...users, entityType: ["SourceDomain"], id, name }]);
    expect(platform.violations).toEqual([]);
  });

  it("stays, and no second one is made, where a rule for these alerts also applies to others", async () => {
    const shared = {
      ...users,
      id,
      name,
      categoryDetails: [...categoryDetails, { identifier: "edr", displayName: "EDR" }],
    };
    platform.rules = [shared];
    for (const grouping of [null, "source-domain"]) {
      await deployment.run({ grouping });
      expect(deployment.said("Alert grouping rule")).toEqual([
        "Alert grouping rule: stays as it is: group by Entities SourceUserName. The rule also applies to edr, so change it by hand.",
      ]);
    }
    expect(platform.rules).toEqual([shared]);
  });

  it("is recognised in the platform's other spelling", async () => {
    platform.rules = [
      { id: 1, category: "DATA_SOURCE", categoryDetails, groupingType: "ENTITIES", entityType: ["SourceDomain"] },
    ];
    await deployment.run({ grouping: "source-domain" });
    expect(deployment.said("Alert grouping rule")).toEqual([
      "Alert grouping rule: already groups by ENTITIES SourceDomain.",
    ]);
  });
});

describe("the address", () => {
  const instance = "projects/my-project/locations/eu/instances/01234567-89ab-cdef-0123-456789abcdef";

  it.each(["http://soar.example.com", "https://user:secret@soar.example.com", "ftp://soar.example.com", ""])(
    "is refused when it is %j",
    (text) => {
      expect(() => parseTarget(text)).toThrow(/^The address is neither an https:\/\/ URL nor the resource name/);
      expect(() => parseTarget(text)).not.toThrow(/secret/);
    },
  );

  it.each(["soar.example.com/", "https://soar.example.com/home?x=1#top", "https://SOAR.example.com:443"])(
    "means the legacy API when it is %j",
    (text) => {
      expect(parseTarget(text)).toMatchObject({
        generation: "legacy",
        address: { origin: "https://soar.example.com", pathPrefix: "" },
      });
    },
  );

  it.each([
    [instance, "https://chronicle.eu.rep.googleapis.com"],
    [`https://eu-chronicle.googleapis.com/v1alpha/${instance}/integrations`, "https://eu-chronicle.googleapis.com"],
  ])("means the Chronicle API when it is %j", (text, origin) => {
    expect(parseTarget(text)).toMatchObject({ generation: "chronicle", address: { origin }, instance });
  });

  it("is replaced by CHRONICLE_ENDPOINT, which is encrypted unless it is on this machine", () => {
    expect(parseTarget(instance, "http://127.0.0.1:8080").address.origin).toBe("http://127.0.0.1:8080");
    expect(() => parseTarget(instance, "http://example.com")).toThrow(/Correct CHRONICLE_ENDPOINT/);
  });

  it.each(["https://chronicle.eu.rep.googleapis.com", "projects/p/locations/eu"])(
    "is refused when it names no instance: %j",
    (text) => {
      expect(() => parseTarget(text)).toThrow(/does not name an instance.*projects\/my-project/);
    },
  );
});

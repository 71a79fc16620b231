import { beforeEach, describe, expect, it } from "@jest/globals";
import { inspect } from "node:util";
import { type DeployOptions, deploy, parseRoot } from "../../src/deploy/deploy.ts";
import { Secret } from "../../src/service/credentials.ts";
import { zip } from "../../src/packaging/zip.ts";
import { artefacts, groupingRule, manifest } from "./project.ts";
import { KEY, type StandIn, startPlatform } from "./platform.ts";

let platform: StandIn;
let lines: string[];
beforeEach(async () => {
  platform = await startPlatform();
  lines = [];
});

async function run(changes: Partial<DeployOptions> = {}): Promise<void> {
  await deploy({
    address: parseRoot(platform.root),
    key: new Secret(KEY),
    artefacts: await artefacts(),
    dryRun: false,
    reinstall: false,
    print: (line) => lines.push(line),
    confirm: () => Promise.resolve(true),
    ...changes,
  });
}

const writes = (): string[] =>
  platform.requests.filter((name) => /ImportPackage|ImportDefinitions|^PATCH|^POST .*grouping-rules/.test(name));

describe("a deployment to an empty platform", () => {
  it("says what it will do, does it, and keeps to the contract of the platform in every request", async () => {
    await run();
    expect(lines).toEqual([
      `On ${platform.root}:`,
      "  Integration attack_path_analysis: version 1 will be installed.",
      '  Alert grouping rule "Attack path findings by source domain": will be created.',
      '  Playbook: "Attack Path Triage" will be created.',
      "  Integration attack_path_analysis: done.",
      '  Alert grouping rule "Attack path findings by source domain": done.',
      "  Playbook: done.",
      expect.stringMatching(/^Done\./),
    ]);
    expect(platform.violations).toEqual([]);
    expect(platform.integrations).toEqual([{ identifier: "attack_path_analysis", version: 1 }]);
    expect(platform.rules).toEqual([
      {
        id: 41,
        name: "projects//locations//instances//alertGroupingRules/41",
        category: "DataSource",
        categoryDetails: [{ identifier: "attack_path_analysis", displayName: "attack_path_analysis" }],
        groupingType: "Entities",
        entityType: ["SourceDomain"],
      },
    ]);
    expect([...platform.playbooks.values()].map(({ name }) => name)).toEqual(["Attack Path Triage"]);
  });

  it("finds nothing to do the second time", async () => {
    await run();
    platform.requests.length = 0;
    lines = [];
    await run();
    expect(lines).toEqual([
      `On ${platform.root}:`,
      "  Integration attack_path_analysis: already the same version, 1. --reinstall imports it again.",
      '  Alert grouping rule "Attack path findings by source domain": already the same.',
      '  Playbook: "Attack Path Triage" is already the same.',
      "Nothing to do.",
    ]);
    expect(writes()).toEqual([]);
  });

  it("changes nothing with --dry-run, and asks nobody", async () => {
    await run({ dryRun: true, confirm: () => Promise.reject(new Error("was asked")) });
    expect(lines.at(-1)).toBe("Nothing was changed (--dry-run).");
    expect(writes()).toEqual([]);
    expect(platform.violations).toEqual([]);
  });

  it("changes nothing when the answer is no", async () => {
    await run({ confirm: () => Promise.resolve(false) });
    expect(lines.at(-1)).toBe("Nothing was changed.");
    expect(writes()).toEqual([]);
  });
});

describe("a deployment over an older one", () => {
  it("puts a new version in the place of the old one", async () => {
    await run();
    lines = [];
    await run({ artefacts: await artefacts(2) });
    expect(lines[1]).toBe("  Integration attack_path_analysis: version 2 will take the place of version 1.");
    expect(platform.integrations).toEqual([{ identifier: "attack_path_analysis", version: 2 }]);
  });

  it("imports the same version again on demand", async () => {
    await run();
    platform.requests.length = 0;
    await run({ reinstall: true });
    expect(writes()).toEqual(["POST /api/external/v1/ide/ImportPackage"]);
  });

  it.each([
    ["says no versions", { status: 200, body: `[{"identifier":"${manifest.identifier}"}]` }],
    ["has no list of integrations", { status: 404 }],
  ])("imports the package when the platform %s", async (_, answer) => {
    platform.answers.set("GET /api/1p/external/v1/integrations", answer);
    await run();
    expect(lines[1]).toBe(
      "  Integration attack_path_analysis: version 1 will be imported; the platform does not tell which one it has.",
    );
    expect(platform.integrations).toHaveLength(1);
  });

  it("changes a grouping rule for the same alerts and leaves the others alone", async () => {
    const other = { id: 7, name: "r/7", category: "All", categoryDetails: [], groupingType: "None", entityType: [] };
    const id = 9;
    const name = `projects//locations//instances//alertGroupingRules/${id}`;
    const categoryDetails = [{ identifier: "attack_path_analysis", displayName: "attack_path_analysis" }];
    const before = {
      category: "DataSource",
      categoryDetails,
      groupingType: "Entities",
      entityType: ["SourceUserName"],
    };
    platform.rules = [other, { ...before, id, name }];
    await run();
    expect(lines[2]).toBe(
      `  Alert grouping rule "${groupingRule.name}": the rule for these alerts groups by Entities SourceUserName; it will group by Entities SourceDomain.`,
    );
    expect(platform.rules).toEqual([other, { ...before, entityType: ["SourceDomain"], id, name }]);
    expect(platform.violations).toEqual([]);
  });

  it("recognises its rule in the platform's other spelling", async () => {
    const categoryDetails = [{ identifier: "attack_path_analysis", displayName: "Attack Path Analysis" }];
    platform.rules = [
      { id: 1, category: "DATA_SOURCE", categoryDetails, groupingType: "ENTITIES", entityType: ["SourceDomain"] },
    ];
    await run();
    expect(lines[2]).toMatch(/already the same\.$/);
  });

  it("recognises its playbook although the platform gave steps other identifiers and added fields", async () => {
    const { playbooks, ...rest } = await artefacts();
    const [playbook] = playbooks!.playbooks;
    const { Identifier } = playbook!.Definition;
    const renumbered = JSON.parse(
      JSON.stringify({
        ...playbook,
        Definition: { ...playbook!.Definition, Version: 3.1, ModifiedBy: "admin" },
      }).replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) => id.replace(/^./, "f")),
    ) as unknown;
    const stored = await zip([{ path: "Attack Path Triage.json", content: JSON.stringify(renumbered) }]);
    platform.playbooks.set(Identifier, { name: "Attack Path Triage", zip: stored.toString("base64") });
    await run({ artefacts: { ...rest, playbooks } });
    expect(lines[3]).toBe('  Playbook: "Attack Path Triage" is already the same.');
  });

  it("warns that changes which somebody made to the playbook will be lost", async () => {
    await run();
    const [[identifier, stored]] = [...platform.playbooks] as [[string, { name: string; zip: string }]];
    const { playbooks } = await artefacts();
    const changed = JSON.parse(JSON.stringify(playbooks!.playbooks[0])) as {
      Definition: { Steps: { ActionName: string }[] };
    };
    changed.Definition.Steps[0]!.ActionName = "Other_Action";
    const file = await zip([{ path: "p.json", content: JSON.stringify(changed) }]);
    platform.playbooks.set(identifier, { ...stored, zip: file.toString("base64") });
    lines = [];
    await run();
    expect(lines[3]).toBe(
      '  Playbook: "Attack Path Triage" differs: it will be imported over the one there, with whatever was changed in it.',
    );
    expect(platform.playbooks.get(identifier)).toEqual(stored);
  });
});

describe("a deployment that fails", () => {
  const DETAILS = "POST /api/external/v1/ide/GetPackageDetails";
  const failure = async (changes: Partial<DeployOptions> = {}): Promise<string> => {
    const error: unknown = await run(changes).then(
      () => null,
      (reason: unknown) => reason,
    );
    expect(error).toMatchObject({ name: "DeployError", readable: true });
    expect(inspect(error, { depth: 9 })).not.toContain(KEY);
    expect(lines.join()).not.toContain(KEY);
    return (error as Error).message;
  };

  it.each([
    [
      401,
      "",
      /^Could not have the package checked: the platform does not accept the API key\. Copy the whole key .*status 401\)\.?$/,
    ],
    [403, "", /the API key has no permission for this\. Use a key with the permission group Admins/],
    [404, "<html>not here</html>", /the platform has no such place\. Check the root URL: [^"]*$/],
    [407, "", /Put them into the environment variable HTTPS_PROXY/],
    [
      413,
      "",
      /the request of 0\.0 MB is larger than the platform, or a proxy before it, takes\. Build the package without Node\.js/,
    ],
    [429, "", /Wait some minutes/],
    [
      400,
      '{"errorMessage":"No such thing"}',
      /the platform refused the request\. It said: "\{"errorMessage":"No such thing"\}" \(POST .*status 400\)/,
    ],
    [500, "x\u001b[2Jy", /internal error\. Start again later.*It said: "x \[2Jy"/],
    [503, "", /status 503/],
  ])("explains status %i", async (status, body, expected) => {
    platform.answers.set(DETAILS, { status, body });
    expect(await failure()).toMatch(expected);
  });

  it("does not repeat the key when the platform does", async () => {
    platform.answers.set(DETAILS, { status: 400, body: `bad key ${KEY}` });
    expect(await failure()).toContain("bad key [redacted]");
  });

  it("does not follow a redirect with the key", async () => {
    const elsewhere = await startPlatform();
    platform.answers.set(DETAILS, { status: 302, headers: { Location: `${elsewhere.root}/login` } });
    expect(await failure()).toContain(
      `the platform redirects to ${elsewhere.root}/login, and the key is not sent there`,
    );
    expect(elsewhere.requests).toEqual([]);
  });

  it("says that a page is not the API", async () => {
    platform.answers.set(DETAILS, { status: 200, body: "<!doctype html><title>Log in</title>" });
    expect(await failure()).toMatch(
      /the answer is not JSON, so what answered is a page or a proxy.*Check the root URL/,
    );
  });

  it.each([
    [DETAILS, "{}", "the answer holds no identifier of the package"],
    [
      "GET /api/1p/external/v1/system/settings/alert-grouping-rules",
      '{"items":[{}]}',
      "the answer holds no id of a rule",
    ],
  ])("says what is missing in the answer of %s", async (name, body, expected) => {
    platform.answers.set(name, { status: 200, body });
    expect(await failure()).toContain(expected);
    expect(writes()).toEqual([]);
  });

  it("does not import a package that the platform reads as another integration", async () => {
    platform.answers.set(DETAILS, { status: 200, body: '{"identifier":"other"}' });
    expect(await failure()).toBe(
      "The platform reads other in package.zip, which says attack_path_analysis: the package is damaged.",
    );
    expect(writes()).toEqual([]);
  });

  it("says that nothing listens at the root URL", async () => {
    const gone = await startPlatform();
    await gone.close();
    expect(await failure({ address: parseRoot(gone.root) })).toMatch(
      /^Could not have the package checked: The server refused the connection\. Check the root URL/,
    );
  });

  it("says that the platform did not answer in time", async () => {
    platform.answers.set(DETAILS, { status: 200, silent: true });
    expect(await failure({ timeoutSeconds: 0.05 })).toMatch(/the platform did not answer within 0\.05 s/);
  });

  it("has said what was done when a later part fails, and does the rest the next time", async () => {
    const name = "POST /api/1p/external/v1/system/settings/alert-grouping-rules";
    platform.answers.set(name, { status: 500 });
    expect(await failure()).toMatch(/^Could not create the alert grouping rule/);
    expect(lines.at(-1)).toBe("  Integration attack_path_analysis: done.");
    platform.answers.clear();
    platform.requests.length = 0;
    await run();
    expect(writes()).toEqual([name, "POST /api/external/v1/playbooks/ImportDefinitions"]);
  });
});

describe("the root URL", () => {
  it.each([
    ["http://soar.example.com", /^The root URL starts with http:\/\//],
    ["https://user:secret@soar.example.com", /^The root URL contains a user name or password/],
    ["ftp://soar.example.com", /^The root URL starts with a scheme other than https/],
    ["", /^The root URL is empty/],
  ])("is refused when it is %j", (text, expected) => {
    expect(() => parseRoot(text)).toThrow(expected);
  });

  it.each(["soar.example.com/", "https://soar.example.com/?x=1"])("may be written %j", (text) => {
    expect(parseRoot(text).origin).toBe("https://soar.example.com");
  });
});

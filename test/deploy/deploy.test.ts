import { beforeEach, describe, expect, it } from "@jest/globals";
import { inspect } from "node:util";
import { type DeployOptions, deploy, parseRoot } from "../../src/deploy/deploy.ts";
import { unreachable } from "../../src/deploy/failures.ts";
import { Secret } from "../../src/service/credentials.ts";
import { zip } from "../../src/packaging/zip.ts";
import { buildContext, buildZip } from "../support/google-secops-package.ts";
import { artefacts, type Files, MAPPING, NODE_WHEEL, packageFiles, WIDGET } from "./project.ts";
import { KEY, type StandIn, startPlatform } from "./platform.ts";

let platform: StandIn;
let lines: string[];
beforeEach(async () => {
  platform = await startPlatform();
  lines = [];
});

async function run(changes: Partial<DeployOptions> = {}): Promise<void> {
  lines = [];
  platform.requests.length = 0;
  await deploy({
    address: parseRoot(platform.root),
    key: new Secret(KEY),
    artefacts: await artefacts(),
    dryRun: false,
    reinstall: false,
    grouping: null,
    print: (line) => lines.push(line),
    confirm: () => Promise.resolve(true),
    ...changes,
  });
}

/** Runs with a package: its files, or its zip. */
const runWith = async (files: Files | Buffer, changes: Partial<DeployOptions> = {}): Promise<void> =>
  run({ ...changes, artefacts: await artefacts(files) });

const IMPORT = "POST /api/external/v1/ide/ImportPackage";
const ASSIGN = "POST /api/external/v1/ontology/AddOrUpdateProductToVisualizationFamilyRecord";
const RECORDS = "POST /api/external/v1/ontology/GetOntologyStatusRecords";
const RULES = "/api/1p/external/v1/system/settings/alert-grouping-rules";
const PLAYBOOKS = "POST /api/external/v1/playbooks/ImportDefinitions";

const writes = (): string[] =>
  platform.requests.filter((name) =>
    /Import(Package|Definitions)|AddOrUpdate|^PATCH|^POST .*grouping-rules/.test(name),
  );

/** What is said about the subject, with the details. */
function said(subject: string): string[] {
  const first = lines.findIndex((line) => line.startsWith(`  ${subject}`));
  const after = lines.findIndex((line, index) => index > first && !line.startsWith("    "));
  return lines.slice(first, after).map((line) => line.trim());
}

describe("a deployment to an empty platform", () => {
  it("says what it will do, does it, and keeps to the contract of the platform in every request", async () => {
    await run();
    expect(lines).toEqual([
      `On ${platform.root}:`,
      "  Integration attack_path_analysis: version 1 will be installed.",
      '  Visual family "Attack Path Findings": will be assigned to the product Attack Path Analysis.',
      "  Alert grouping rule: will be created: group by Entities SourceDomain.",
      '  Playbook: "Attack Path Triage" will be created.',
      "  Integration attack_path_analysis: done.",
      '  Visual family "Attack Path Findings": done.',
      "  Alert grouping rule: done.",
      "  Playbook: done.",
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
        groupingType: "Entities",
        entityType: ["SourceDomain"],
      },
    ]);
    expect([...platform.playbooks.values()].map(({ name }) => name)).toEqual(["Attack Path Triage"]);
  });

  it("finds nothing to do the second time", async () => {
    await run();
    await run();
    expect(lines).toEqual([
      `On ${platform.root}:`,
      "  Integration attack_path_analysis: version 1 is installed with the same contents.",
      '  Visual family "Attack Path Findings": already assigned to the product Attack Path Analysis.',
      "  Alert grouping rule: already groups by Entities SourceDomain.",
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

describe("a package that was built again", () => {
  beforeEach(() => run());
  const other = "version 1 is installed with other contents and will be replaced.";
  const changed = (path: string, from: string | RegExp, to: string): Files => {
    const files = packageFiles();
    return { ...files, [path]: files[path]!.replace(from, to) };
  };

  it("is updated when it carries Node.js now, although its version is the same", async () => {
    await runWith({ ...packageFiles(), [NODE_WHEEL]: "Node.js" });
    expect(said("Integration")).toEqual([
      `Integration attack_path_analysis: ${other}`,
      `${NODE_WHEEL}: not on the platform`,
    ]);
    expect(writes()).toEqual([IMPORT]);
    await runWith({ ...packageFiles(), [NODE_WHEEL]: "Node.js" });
    expect(lines.at(-1)).toBe("Nothing to do.");
  });

  it("is updated when it carries Node.js no longer", async () => {
    await runWith({ ...packageFiles(), [NODE_WHEEL]: "Node.js" });
    await run();
    expect(said("Integration").slice(1)).toEqual([`${NODE_WHEEL}: only on the platform`]);
    expect(writes()).toEqual([IMPORT]);
  });

  it.each([
    ["a script", changed("ActionsScripts/ping.py", "run", "go"), 'script of action "Ping": other content'],
    [
      "a manager",
      changed("Managers/AttackPathAnalysisLauncher.py", "pass", "return"),
      "Managers/AttackPathAnalysisLauncher.py: other content",
    ],
    [
      "a parameter",
      changed(
        "ActionsDefinitions/fetch_assets.actiondef",
        /"Description": "[^"]*",\n\s+"IsMandatory"/,
        '"IsMandatory"',
      ),
      expect.stringMatching(/^action "Fetch Assets", parameter "Object IDs": other Description$/),
    ],
    [
      "a definition",
      changed("Integration-attack_path_analysis.def", '"PythonVersion": 3', '"PythonVersion": 4'),
      "integration: other PythonVersion",
    ],
  ])("says that %s differs, and is updated", async (_, files, expected) => {
    await runWith(files, { dryRun: true });
    expect(said("Integration")).toEqual([`Integration attack_path_analysis: ${other}`, expected]);
    expect(writes()).toEqual([]);
    await runWith(files);
    expect(writes()).toEqual([IMPORT]);
  });

  it.each([WIDGET, MAPPING, "Dependencies/attack_path_analysis_runtime-1.0.0.post7-py3-none-any.whl"])(
    "is updated when only %s differs, which the platform does not show",
    async (path) => {
      const files = { ...packageFiles(), [path]: "other" };
      await runWith(files);
      expect(said("Integration")).toEqual([
        `Integration attack_path_analysis: ${other}`,
        expect.stringMatching(/^something that the platform does not export: a widget, a mapping rule/),
      ]);
      expect(writes()).toEqual([IMPORT]);
      await runWith(files);
      expect(lines.at(-1)).toBe("Nothing to do.");
    },
  );

  it("replaces what somebody changed on the platform", async () => {
    const script = platform.integrations[0]!.files.find(({ path }) => path === "ActionsScripts/ping.py")!;
    script.content = Buffer.from("print('patched')");
    await run();
    expect(said("Integration").slice(1)).toEqual(['script of action "Ping": other content']);
    expect(writes()).toEqual([IMPORT]);
  });

  it("puts a new version in the place of the old one", async () => {
    await runWith(packageFiles(2));
    expect(said("Integration")).toEqual([
      "Integration attack_path_analysis: version 2 will replace version 1.",
      "integration: other Version",
    ]);
    expect(platform.integrations).toMatchObject([{ version: 2 }]);
  });

  it("says that it goes back to an older version", async () => {
    await runWith(packageFiles(2));
    await run();
    expect(said("Integration")[0]).toMatch(/version 1 will replace the newer version 2\.$/);
    expect(writes()).toEqual([IMPORT]);
  });

  it("is imported again on demand", async () => {
    await run({ reinstall: true });
    expect(said("Integration")).toEqual(["Integration attack_path_analysis: version 1 will be imported again."]);
    expect(writes()).toEqual([IMPORT]);
  });

  it("is left alone on a platform that exports no dependencies", async () => {
    const [installed] = platform.integrations;
    installed!.files = installed!.files.filter(({ path }) => !path.startsWith("Dependencies/"));
    await run();
    expect(lines.at(-1)).toBe("Nothing to do.");
  });

  it("is compared as it is built: by the plugin in its wheel", async () => {
    const build = async (plugin: string): Promise<Buffer> => buildZip(await buildContext(plugin));
    await runWith(await build("export default 1;"));
    await runWith(await build("export default 1;"));
    expect(lines.at(-1)).toBe("Nothing to do.");
    await runWith(await build("export default 2;"));
    expect(said("Integration").slice(1)).toEqual([
      expect.stringMatching(/^Dependencies\/attack_path_analysis_runtime-.*: not on the platform$/),
      expect.stringMatching(/^Dependencies\/attack_path_analysis_runtime-.*: only on the platform$/),
    ]);
  });

  it("is imported when the platform cannot tell what is installed", async () => {
    platform.answers.set("GET /api/1p/external/v1/integrations", { status: 404 });
    platform.answers.set("GET /api/external/v1/ide/ExportPackage/attack_path_analysis", { status: 404 });
    await run();
    expect(said("Integration")[0]).toMatch(
      /version 1 will be imported\. The platform does not tell what is installed\.$/,
    );
    expect(writes()).toEqual([IMPORT]);
  });
});

describe("the visual family", () => {
  const product = { source: "attack_path_analysis", product: "Attack Path Analysis" };
  const families = () => platform.records.filter(({ source }) => source === product.source);

  it("is assigned once, to the product", async () => {
    await run();
    expect(families()).toMatchObject([{ ...product, eventName: null, familyName: "Attack Path Findings" }]);
    await run();
    expect(families()).toHaveLength(1);
    expect(writes()).toEqual([]);
  });

  it("takes the place of another one, and leaves the families of single events alone", async () => {
    const event = { ...product, eventName: "T0GenericAll", familyName: "Custom" };
    platform.records.push({ ...product, eventName: null, familyName: "Network" }, event);
    await run();
    expect(said("Visual family")).toEqual([
      'Visual family "Attack Path Findings": will be assigned to the product Attack Path Analysis instead of "Network".',
    ]);
    expect(families()).toHaveLength(2);
    expect(families()).toContainEqual(event);
  });

  it("is left to the administrator on a platform whose API does not offer it", async () => {
    platform.answers.set(RECORDS, { status: 404 });
    await run();
    expect(said("Visual family")[0]).toMatch(/Assign it by hand: docs\/google-secops\.md\.$/);
    expect(writes()).not.toContain(ASSIGN);
  });
});

describe("the alert grouping rule", () => {
  const id = 9;
  const name = `projects//locations//instances//alertGroupingRules/${id}`;
  const categoryDetails = [{ identifier: "attack_path_analysis", displayName: "attack_path_analysis" }];
  const others = { id: 7, name: "r/7", category: "All", categoryDetails: [], groupingType: "None", entityType: [] };
  const users = { category: "DataSource", categoryDetails, groupingType: "Entities", entityType: ["SourceUserName"] };

  it("groups by the source grouping identifier on demand", async () => {
    await run({ grouping: "source-grouping-identifier" });
    expect(platform.rules).toMatchObject([
      { categoryDetails, groupingType: "SourceGroupingIdentifier", entityType: [] },
    ]);
    expect(platform.violations).toEqual([]);
  });

  it("is replaced by the one that was asked for, and says by what", async () => {
    await run();
    await run({ grouping: "source-grouping-identifier" });
    expect(said("Alert grouping rule")).toEqual([
      "Alert grouping rule: will be replaced.",
      "group by SourceGroupingIdentifier instead of Entities SourceDomain",
    ]);
    expect(platform.rules).toMatchObject([{ id: 41, groupingType: "SourceGroupingIdentifier", entityType: [] }]);
    expect(writes()).toEqual([`PATCH ${RULES}/41`]);
    expect(platform.violations).toEqual([]);
  });

  it("stays what was chosen before when nothing else is asked for", async () => {
    await run({ grouping: "source-grouping-identifier" });
    await run();
    expect(said("Alert grouping rule")).toEqual([
      "Alert grouping rule: stays as it is: group by SourceGroupingIdentifier. --grouping source-domain replaces it.",
    ]);
    expect(lines.at(-1)).toBe("Nothing to do.");
  });

  it("replaces a rule for the same alerts and leaves the others alone", async () => {
    platform.rules = [others, { ...users, id, name }];
    await run({ grouping: "source-domain" });
    expect(said("Alert grouping rule")[1]).toBe("group by Entities SourceDomain instead of Entities SourceUserName");
    expect(platform.rules).toEqual([others, { ...users, entityType: ["SourceDomain"], id, name }]);
    expect(platform.violations).toEqual([]);
  });

  it("is recognised in the platform's other spelling", async () => {
    platform.rules = [
      { id: 1, category: "DATA_SOURCE", categoryDetails, groupingType: "ENTITIES", entityType: ["SourceDomain"] },
    ];
    await run({ grouping: "source-domain" });
    expect(said("Alert grouping rule")).toEqual(["Alert grouping rule: already groups by ENTITIES SourceDomain."]);
  });
});

describe("the playbook", () => {
  type Mutable = { -readonly [K in keyof Draft]: Draft[K] };
  interface Draft {
    Definition: {
      Steps: { ActionName: string; Identifier: string; InstanceName: string }[];
      OverviewTemplates: unknown[];
    };
    OverviewTemplatesDetails: { OverviewTemplate: { Widgets: { Title: string; DataDefinitionJson: string }[] } }[];
  }
  /** Changes the playbook on the platform. */
  const change = async (edit: (playbook: Mutable) => void): Promise<{ identifier: string; before: string }> => {
    const [[identifier, { name, zip: before }]] = [...platform.playbooks] as [[string, { name: string; zip: string }]];
    const { playbooks } = await artefacts();
    const copy = JSON.parse(JSON.stringify(playbooks!.playbooks[0])) as Mutable;
    edit(copy);
    const file = await zip([{ path: "p.json", content: JSON.stringify(copy) }]);
    platform.playbooks.set(identifier, { name, zip: file.toString("base64") });
    return { identifier, before };
  };
  beforeEach(() => run());

  it("shows the widget of each step that has one, and the entities, on the platform", async () => {
    const { playbooks } = await artefacts();
    const stored = [...platform.playbooks.values()].map(({ zip: blob }) => Buffer.from(blob, "base64"));
    expect(stored).toEqual([playbooks!.zip]);
    const [{ OverviewTemplatesDetails }] = playbooks!.playbooks as unknown as [Draft];
    expect(OverviewTemplatesDetails[0]!.OverviewTemplate.Widgets.map(({ Title }) => Title)).toEqual([
      "Check Findings",
      "Describe Ends",
      "Describe Exposed Objects",
      "Entities Highlights",
    ]);
  });

  it("is recognised although the platform gave steps other identifiers and added fields", async () => {
    await change((playbook) => {
      const text = JSON.stringify(playbook).replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, (id) =>
        id.replace(/^./, "f"),
      );
      Object.assign(playbook, JSON.parse(text));
      Object.assign(playbook.Definition, { Version: 3.1, ModifiedBy: "admin" });
    });
    await run();
    expect(said("Playbook")).toEqual(['Playbook: "Attack Path Triage" is already the same.']);
  });

  it("says what somebody changed in it, and that this will be lost", async () => {
    const { identifier, before } = await change(({ Definition, OverviewTemplatesDetails }) => {
      Definition.Steps[0]!.ActionName = "Other_Action";
      Definition.Steps.push({ ...Definition.Steps[0]!, Identifier: "notify", InstanceName: "Notify" });
      const [{ OverviewTemplate }] = OverviewTemplatesDetails as [Draft["OverviewTemplatesDetails"][number]];
      OverviewTemplate.Widgets[1]!.DataDefinitionJson = '{"htmlContent":"<p>mine</p>"}';
      OverviewTemplate.Widgets.pop();
    });
    await run();
    expect(said("Playbook")).toEqual([
      'Playbook: "Attack Path Triage" differs and will be replaced, with everything that was changed in it there.',
      'step "Form of the Findings": other action',
      'widget "Describe Ends": other HTML',
      'widget "Entities Highlights": not on the platform',
      'step "Notify": only on the platform',
    ]);
    expect(writes()).toEqual([PLAYBOOKS]);
    expect(platform.playbooks.get(identifier)?.zip).toBe(before);
  });

  it("gets its widgets where an earlier version without them is installed", async () => {
    await change((playbook) => {
      playbook.OverviewTemplatesDetails = [];
      playbook.Definition.OverviewTemplates = [];
    });
    await run({ dryRun: true });
    expect(said("Playbook").slice(1)).toHaveLength(4);
    expect(said("Playbook")[1]).toBe('widget "Check Findings": not on the platform');
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
      /^Could not check the package: the platform does not accept the API key\. Copy the whole key .* \(POST .*, status 401\)$/,
    ],
    [403, "", /the API key has no permission for this\. Use a key with the permission group Admins/],
    [404, "<html>not here</html>", /the platform does not know this request\. Check the root URL: [^"]*$/],
    [407, "", /the proxy requires a user name and password\. Add them to HTTPS_PROXY/],
    [413, "", /the request \(0\.0 MB\) is larger than the platform, or a proxy in front of it, accepts.*--agent/],
    [429, "", /Wait a few minutes/],
    [
      400,
      '{"errorMessage":"No such thing"}',
      /the platform refused the request\. Do this part by hand.* It said: "\{"errorMessage":"No such thing"\}" \(POST .*, status 400\)/,
    ],
    [500, "x\u001b[2Jy", /internal error\. Run the command again later.*It said: "x \[2Jy"/],
    [503, "", /status 503/],
  ])("explains status %i", async (status, body, expected) => {
    platform.answers.set(DETAILS, { status, body });
    expect(await failure()).toMatch(expected);
  });

  it("says what to do when the platform refuses the version of the package", async () => {
    await runWith(packageFiles(2));
    platform.answers.set(IMPORT, { status: 400, body: '{"errorMessage":"A newer version is installed"}' });
    expect(await failure()).toMatch(
      /^Could not import the package: the platform refused the request\. If it objects to the version, delete the installed integration in Response > IDE and try again\. It said: ".*A newer version is installed/,
    );
  });

  it("does not repeat the key when the platform does", async () => {
    platform.answers.set(DETAILS, { status: 400, body: `bad key ${KEY}` });
    expect(await failure()).toContain("bad key [redacted]");
  });

  it("does not follow a redirect with the key", async () => {
    const elsewhere = await startPlatform();
    platform.answers.set(DETAILS, { status: 302, headers: { Location: `${elsewhere.root}/login` } });
    expect(await failure()).toContain(
      `the platform redirects to ${elsewhere.root}/login. The API key is not sent there.`,
    );
    expect(elsewhere.requests).toEqual([]);
  });

  it.each([DETAILS, "GET /api/external/v1/ide/ExportPackage/attack_path_analysis"])(
    "says that a web page is not the API (%s)",
    async (name) => {
      await run();
      platform.answers.set(name, { status: 200, body: "<!doctype html><title>Log in</title>" });
      expect(await failure()).toMatch(
        /: what answered is a web page or a proxy, not the platform's API\. Check the root URL: [^"]+ \(.*, status 200\)$/,
      );
    },
  );

  it.each([
    [DETAILS, "{}", "the answer has no identifier of the package"],
    [`GET ${RULES}`, '{"items":[{}]}', "the answer has no id of a rule"],
  ])("says what is missing in the answer of %s", async (name, body, expected) => {
    platform.answers.set(name, { status: 200, body });
    expect(await failure()).toContain(expected);
    expect(writes()).toEqual([]);
  });

  it("does not import a package that the platform reads as another integration", async () => {
    platform.answers.set(DETAILS, { status: 200, body: '{"identifier":"other"}' });
    expect(await failure()).toBe(
      "package.zip is damaged: its definition says attack_path_analysis, and the platform reads other. Build it again.",
    );
    expect(writes()).toEqual([]);
  });

  it("says that nothing listens at the root URL", async () => {
    const gone = await startPlatform();
    await gone.close();
    expect(await failure({ address: parseRoot(gone.root) })).toMatch(
      /^Could not check the package: nothing accepts connections at the root URL\. Check its host name and port\. \(POST .*, ECONNREFUSED\)$/,
    );
  });

  it.each([
    [
      "ENOTFOUND",
      /DNS cannot resolve the host name of the root URL\. Check it for typing errors\. \(GET \/x, ENOTFOUND\)$/,
    ],
    ["ECONNRESET", /Run the command again: it changes only what still differs\./],
    ["ETIMEDOUT", /cannot reach the host of the root URL\. Check the firewall and HTTPS_PROXY\./],
    ["CERT_HAS_EXPIRED", /has expired\. The API key was not sent\./],
    ["ERR_TLS_CERT_ALTNAME_INVALID", /is for another host\. The API key was not sent\. Check the root URL\./],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", /does not trust the certificate.*NODE_EXTRA_CA_CERTS/],
    ["EPROTO", /no TLS connection could be made/],
    ["HPE_INVALID_CONSTANT", /does not speak HTTP/],
    [
      "EOTHER",
      /the request could not be sent\. Check the network of this machine and HTTPS_PROXY\. \(GET \/x, EOTHER\)$/,
    ],
  ])("explains %s", (code, expected) => {
    const asked = { method: "GET", path: "/x", purpose: "do it", otherwise: "", bytes: 0 } as const;
    const { message } = unreachable(asked, Object.assign(new Error("low level"), { code }));
    expect(message).toMatch(/^Could not do it: /);
    expect(message).toMatch(expected);
  });

  it("names HTTPS_PROXY when it cannot be used", async () => {
    const address = parseRoot("https://soar.example.com");
    process.env["HTTPS_PROXY"] = "socks://proxy.example.com";
    try {
      expect(await failure({ address })).toMatch(/HTTPS_PROXY is not an http:\/\/ or https:\/\/ URL\. Correct it/);
    } finally {
      delete process.env["HTTPS_PROXY"];
    }
  });

  it("says that the platform did not answer in time", async () => {
    platform.answers.set(DETAILS, { status: 200, silent: true });
    expect(await failure({ timeoutSeconds: 0.05 })).toMatch(/the platform did not answer within 0\.05 s/);
  });

  it("has said what was done when a later part fails, and does the rest the next time", async () => {
    const create = `POST ${RULES}`;
    platform.answers.set(create, { status: 500 });
    expect(await failure()).toMatch(/^Could not create the alert grouping rule/);
    expect(lines.at(-1)).toBe('  Visual family "Attack Path Findings": done.');
    platform.answers.clear();
    await run();
    expect(writes()).toEqual([create, PLAYBOOKS]);
  });
});

describe("the root URL", () => {
  it.each(["http://soar.example.com", "https://user:secret@soar.example.com", "ftp://soar.example.com", ""])(
    "is refused when it is %j",
    (text) => {
      expect(() => parseRoot(text)).toThrow(/^The root URL is not an https:\/\/ address\. Enter the address/);
      expect(() => parseRoot(text)).not.toThrow(/secret/);
    },
  );

  it.each(["soar.example.com/", "https://soar.example.com/home?x=1#top", "https://SOAR.example.com:443"])(
    "may be written as %j",
    (text) => {
      expect(parseRoot(text)).toMatchObject({ origin: "https://soar.example.com", pathPrefix: "" });
    },
  );
});

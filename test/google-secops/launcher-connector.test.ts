import { rename } from "node:fs/promises";
import { basename } from "node:path";
import { expect, it } from "@jest/globals";
import { alertOf, done, fakePlugin } from "./fake-plugin.ts";
import { install, python, runtimeIn } from "./installation.ts";
import {
  asciiOnly,
  connectorAnswer,
  connectorIdentifier,
  type ConnectorOptions,
  idOf,
  runConnector,
  startConnector,
} from "./run-script.ts";
import { standInsForEachTest } from "./stand-ins.ts";

const checkpointKey = `4/${connectorIdentifier}/checkpoint`;
const LOG_ERROR = 3;

python.describe("the connector script of Google SecOps", () => {
  const host = standInsForEachTest();

  /** Runs the connector with a plugin that writes these messages. */
  async function run(messages: readonly object[], options: ConnectorOptions = {}) {
    await host.node.says(messages);
    return runAgain(options);
  }
  const runAgain = ({ env, ...options }: ConnectorOptions = {}) =>
    runConnector(host.node, host.platform, { ...options, env: { ...host.node.env, ...env } });

  /** Runs the connector under Node.js, with a plugin that does what `body` says. */
  async function runUnderNode(body: string, options: ConnectorOptions = {}) {
    return runConnector(await install(fakePlugin(body)), host.platform, options);
  }

  const alert = (content: object, checkpoint?: object) => ({ type: "alert", alert: content, checkpoint });
  const oneAlert = [alert(alertOf("A1")), done({ checkpoint: { n: 1 } })];
  /** How long the plugin was told that it may run. */
  const secondsLeft = async () => {
    const { run } = (await host.node.heard()) as { run: { deadline: string } };
    return (Date.parse(run.deadline) - Date.now()) / 1000;
  };
  const stored = (): unknown => JSON.parse(host.platform.properties.get(checkpointKey) ?? "null");

  it("hands the plugin its fields under the plugin's labels, the limits and the last checkpoint", async () => {
    host.platform.properties.set(checkpointKey, '{"version":1}');
    const started = Date.now();
    const { log } = await run([done({ message: "With a-secret-key." })], {
      fields: { Server: "https://tenant.test", "Token Key": "a-secret-key", "Selected Environments": "" },
    });
    const request = (await host.node.heard()) as { run: { deadline: string } };
    expect(request).toMatchObject({
      kind: "connector",
      name: "Attack Path Findings",
      run: { test: false, maxAlerts: 100, maxEventsPerAlert: 120 },
      state: { version: 1 },
    });
    expect(request).toHaveProperty("parameters", {
      Server: "https://tenant.test",
      "Token Key": "a-secret-key",
      "Product Field Name": "device_product",
      "Event Field Name": "finding_type",
    });
    expect(log.map(({ message }) => message)).toContain("With [redacted].");
    const deadline = Date.parse(request.run.deadline);
    expect(deadline).toBeGreaterThanOrEqual(started + 290_000);
    expect(deadline).toBeLessThan(Date.now() + 290_000);
  });

  it("turns an alert into what the platform reads", async () => {
    const started = Date.now();
    const { alerts, exitCode } = await run([alert(alertOf("A1")), done()]);
    expect(exitCode).toBe(0);
    const ingested = alerts[0]?.["start_time"];
    expect(alerts).toEqual([
      expect.objectContaining({
        environment: "Default Environment",
        ticket_id: idOf("A1"),
        display_id: idOf("A1"),
        name: "Kerberoastable users",
        description: "Users whose password can be guessed offline.",
        rule_generator: "Kerberoasting",
        source_grouping_identifier: "S-1-5-21-1",
        start_time: ingested,
        end_time: ingested,
        priority: 100,
        device_vendor: "Attack Path Analysis Service",
        device_product: "Attack Path Analysis",
        extensions: { short_remediation: "Use long passwords.", tags: "attack-path, Kerberoasting" },
        events: [
          {
            finding_id: "A1",
            start_time: 1_790_000_000_000,
            ingested_at: ingested,
            findings_in_alert: 1,
            source_tier_zero: "true",
            impact_percentage: 12.5,
          },
        ],
      }),
    ]);
    expect(ingested).toBeGreaterThanOrEqual(started);
    expect(ingested).toBeLessThanOrEqual(Date.now());
  });

  it("takes any text, also where Python writes nothing but ASCII", async () => {
    const name = "Zoë → 攻撃 🗝";
    const answer = await run(
      [
        alert(alertOf("A1", { name, extensions: { name }, events: [{ name }] }), { [name]: 1 }),
        done({ status: "partial", message: name, checkpoint: { [name]: "\ud800" } }),
      ],
      { env: asciiOnly },
    );
    expect(answer.alerts).toMatchObject([{ name, extensions: { name }, events: [{ name }] }]);
    expect(answer.log.map(({ message }) => message)).toContain(name);
    expect(stored()).toEqual({ [name]: "\ud800" });
  });

  it("stores the checkpoint only after the alerts have left the process", async () => {
    await host.node.says(oneAlert);
    // The platform answers the store only once it has the alerts: written in the other order, the run would hang.
    host.platform.beforeStore = (key) => (key === "checkpoint" ? script.spoke : Promise.resolve());
    const script = startConnector(host.node, host.platform, { env: host.node.env });
    expect(connectorAnswer(await script.ended).alerts).toHaveLength(1);
    expect(stored()).toEqual({ n: 1 });
  });

  it("reads and writes no checkpoint in a test run", async () => {
    host.platform.properties.set(checkpointKey, '{"version":1}');
    const { alerts } = await run([alert(alertOf("A1"), { n: 1 }), done({ checkpoint: { n: 2 } })], { test: true });
    expect(alerts).toHaveLength(1);
    expect(await host.node.heard()).toMatchObject({ run: { test: true }, state: null });
    expect(stored()).toEqual({ version: 1 });
  });

  it("keeps a state for each State Name, so that a new name starts from the beginning and an old one goes on", async () => {
    await run([done({ checkpoint: { n: 1 } })]);
    const heard = async () => ((await host.node.heard()) as { state: unknown }).state;
    await run([done({ checkpoint: { n: 2 } })], { fields: { "State Name": " second " } });
    expect(await heard()).toBeNull();
    await run([done({ checkpoint: { n: 3 } })], { fields: { "State Name": "second" } });
    expect(await heard()).toEqual({ n: 2 });
    await run([done()], { fields: { "State Name": "" } });
    expect(await heard()).toEqual({ n: 1 });
    expect(stored()).toEqual({ n: 1 });
  });

  it("holds back what overflows, and remembers only what the platform took", async () => {
    host.platform.properties.set("4/overflow_settings/overflow_settings", '{"max_alerts_in_time_period": 2}');
    host.platform.properties.set(checkpointKey, '{"pairs":{"A":0,"old":1},"kept":true}');
    const alerts = ["A1", "A2", "A3", "B1", "A4"].map((id, index) => {
      const pairs = { [id.charAt(0)]: index + 1, ...(id === "B1" ? { old: null } : {}) };
      return alert(alertOf(id, { findingType: id.charAt(0) }), { pairs });
    });
    const answer = await run([...alerts, done({ checkpoint: { n: 9 } })]);
    expect(answer.alerts.map(({ ticket_id }) => ticket_id)).toEqual(["A1", "A2", "B1"].map((id) => idOf(id)));
    // Reported there, they would count as alerts that nobody ever gets.
    expect(answer.overflowed).toEqual([]);
    expect(stored()).toEqual({ pairs: { A: 2, B: 4 }, kept: true });
    expect(answer.log.map(({ message }) => message)).toContain(
      "A: 2 alerts are beyond the platform's overflow limit. The next run delivers them.",
    );
  });

  it("asks no more once the platform counts the alerts of all rules together, since it counts what it refuses, too", async () => {
    const settings = '{"max_alerts_in_time_period": 1, "is_rule_generator_considered": false}';
    host.platform.properties.set("4/overflow_settings/overflow_settings", settings);
    const alerts = ["A1", "B1", "C1", "D1"].map((id) => alert(alertOf(id, { findingType: id.charAt(0) }), {}));
    const { alerts: taken } = await run([...alerts, done()]);
    expect(taken.map(({ ticket_id }) => ticket_id)).toEqual([idOf("A1")]);
    const [data] = [...host.platform.properties].flatMap(([key, text]) =>
      key.endsWith("/overflow_data") ? [text] : [],
    );
    const counted = JSON.parse(data ?? "") as Record<string, { digestion_times: number[] }>;
    expect(Object.values(counted).map(({ digestion_times }) => digestion_times.length)).toEqual([2]);
  });

  it("takes every alert where the platform's overflow protection is off", async () => {
    const settings = '{"max_alerts_in_time_period": 1, "is_overflow_enabled": false}';
    host.platform.properties.set("4/overflow_settings/overflow_settings", settings);
    const alerts = ["A1", "A2"].map((id) => alert(alertOf(id)));
    const answer = await run([...alerts, done({ checkpoint: { n: 9 } })]);
    expect(answer.alerts).toHaveLength(2);
    expect(stored()).toEqual({ n: 9 });
  });

  it("stores what is true without the first alert when that one overflows: later patches build on it", async () => {
    host.platform.properties.set("4/overflow_settings/overflow_settings", '{"max_alerts_in_time_period": 1}');
    const overflow = {
      "|Default Environment|Attack Path Analysis|A": { digestion_times: [Date.now()], last_notification_time: 0 },
    };
    host.platform.properties.set(`4/${connectorIdentifier}/overflow_data`, JSON.stringify(overflow));
    host.platform.properties.set(checkpointKey, '{"old":true}');
    const [first, second] = ["A", "B"].map((id) => alert(alertOf(id, { findingType: id }), { [id]: 1 }));
    const refused = { ...first, checkpointWithoutAlert: { base: true } };
    const answer = await run([refused, second!, done({ checkpoint: { n: 2 } })]);
    expect(answer).toMatchObject({ exitCode: 0, alerts: [{ ticket_id: idOf("B") }] });
    expect(answer.log.map(({ message }) => message)).toContain("Alerts of this run that the platform gets: 1.");
    expect(stored()).toEqual({ old: true, base: true, B: 1 });
  });

  it("delivers what it has when Node.js crashes, with a checkpoint that is true of it", async () => {
    host.platform.properties.set(checkpointKey, '{"n":0,"kept":true}');
    const answer = await runUnderNode(
      `say({ type: "alert", alert: ${JSON.stringify(alertOf("A1"))}, checkpoint: { n: 1 } });
       process.stdout.write("", () => { console.error("boom"); process.exit(3); });`,
    );
    expect(answer).toMatchObject({ exitCode: 0, alerts: [{ ticket_id: idOf("A1") }] });
    expect(stored()).toEqual({ n: 1, kept: true });
    const error = answer.log.find(({ log_level }) => log_level === LOG_ERROR);
    expect(error?.message).toMatch(/exit code 3.*boom/s);
  });

  it("says how Node.js ended when it is killed in the middle of a line, and not what stood in that line", async () => {
    const answer = await runUnderNode(
      `say({ type: "alert", alert: ${JSON.stringify(alertOf("A1"))}, checkpoint: { n: 1 } });
       process.stdout.write('{"type":"alert","alert":{"na', () => { console.error("boom"); process.exit(3); });`,
    );
    expect(answer).toMatchObject({ exitCode: 0, alerts: [{ ticket_id: idOf("A1") }] });
    expect(answer.log.find(({ log_level }) => log_level === LOG_ERROR)?.message).toMatch(/exit code 3.*boom/s);
  });

  it("does not report an alert that it delivers, when the platform fails to keep that the alert overflows", async () => {
    host.platform.properties.set("4/overflow_settings/overflow_settings", '{"max_alerts_in_time_period": 0}');
    host.platform.broken.add("SetContextProperty");
    const answer = await run([alert(alertOf("A1")), done({ checkpoint: { n: 1 } })]);
    expect(answer.alerts.map(({ ticket_id }) => ticket_id)).toEqual([idOf("A1")]);
    expect(answer.overflowed).toEqual([]);
  });

  it("redacts a token key that was pasted with blanks around it, as the plugin uses it", async () => {
    const { log } = await run([done({ message: "With a-secret-key." })], {
      fields: { Server: "https://tenant.test", "Token Key": " a-secret-key\n" },
    });
    expect(log.map(({ message }) => message)).toContain("With [redacted].");
  });

  it("fails the run when there is nothing to deliver, so that the platform shows it", async () => {
    host.platform.properties.set(checkpointKey, '{"n":0}');
    const answer = await run([done({ status: "failed", message: "Token Key is wrong." })]);
    expect(answer).toMatchObject({ exitCode: 1, alerts: [] });
    expect(answer.stderr).toContain("Token Key is wrong.");
    expect(stored()).toEqual({ n: 0 });
  });

  it("fails such a run also when it has a checkpoint, and stores that", async () => {
    host.platform.properties.set(checkpointKey, '{"n":0}');
    const message = "Nothing could be read. Permission denied.";
    const answer = await run([done({ status: "failed", message, checkpoint: { n: 1 } })]);
    expect(answer).toMatchObject({ exitCode: 1, alerts: [] });
    expect(answer.log).toContainEqual(expect.objectContaining({ message, log_level: LOG_ERROR }));
    expect(answer.stderr).toMatch(/^Nothing could be read\. Permission denied\.$/m);
    expect(stored()).toEqual({ n: 1 });
  });

  it("does not fail a run that has alerts, which the platform might discard", async () => {
    const answer = await run([alert(alertOf("A1")), done({ status: "failed", checkpoint: { n: 1 } })]);
    expect(answer).toMatchObject({ exitCode: 0, alerts: [{ ticket_id: idOf("A1") }] });
    expect(stored()).toEqual({ n: 1 });
  });

  it("warns of a partial run and stores its checkpoint", async () => {
    const answer = await run([done({ status: "partial", message: "B is missing.", checkpoint: { n: 1 } })]);
    expect(answer.exitCode).toBe(0);
    expect(answer.log).toContainEqual(expect.objectContaining({ message: "B is missing.", log_level: 2 }));
    expect(stored()).toEqual({ n: 1 });
  });

  it("does not start afresh when the platform cannot hand over the checkpoint", async () => {
    host.platform.properties.set(checkpointKey, '{"n":0}');
    const healthy = await run(oneAlert, { test: true });
    expect(healthy.alerts).toHaveLength(1);
    host.platform.brokenKeys.add("checkpoint");
    const answer = await runAgain();
    expect(answer).toMatchObject({ exitCode: 1, alerts: [] });
    expect(answer.stderr).toContain("The platform did not return the checkpoint");
    expect(stored()).toEqual({ n: 0 });
  });

  it("delivers the alerts also when the platform does not store the checkpoint", async () => {
    host.platform.broken.add("SetContextProperty");
    const answer = await run(oneAlert);
    expect(answer).toMatchObject({ exitCode: 0, alerts: [{ ticket_id: idOf("A1") }] });
    expect(answer.stderr).toContain(" ERROR] The checkpoint could not be stored. The next run repeats this one.");
  });

  it("ends in time with its alerts when the platform does what it is asked for and does not answer", async () => {
    host.platform.silent.add("SetContextProperty overflow_data").add("SetContextProperty checkpoint");
    const alerts = ["A1", "A2"].map((id) => alert(alertOf(id)));
    const options = { fields: { PythonProcessTimeout: "4" } };
    const answer = await run([...alerts, done({ checkpoint: { n: 1 } })], options);
    expect(answer).toMatchObject({ exitCode: 0, alerts: [{ ticket_id: idOf("A1") }, { ticket_id: idOf("A2") }] });
    expect(answer.stderr).toContain(
      "The platform did not say whether Kerberoasting overflows: it did not answer in time",
    );
    expect(answer.stderr).toContain("The next run repeats this one. it did not answer in time");
  });

  it("fails when the platform does not answer with the checkpoint", async () => {
    host.platform.silent.add("GetContextProperty checkpoint");
    const answer = await run(oneAlert, { fields: { PythonProcessTimeout: "2" } });
    expect(answer).toMatchObject({ exitCode: 1, alerts: [] });
    expect(answer.stderr).toContain("The platform did not return the checkpoint: it did not answer in time");
  });

  it("fails with the platform's words when the platform fails before the connector has begun", async () => {
    host.platform.brokenKeys.add("overflow_settings");
    const { exitCode, alerts, log, stderr } = await run(oneAlert);
    expect([exitCode, alerts]).toEqual([1, []]);
    const reason =
      /^The platform did not return what a script needs to start: .*bad day.*\. Nothing was run\. Run it again\./;
    expect(stderr).toMatch(reason);
    expect(log).toEqual([expect.objectContaining({ message: expect.stringMatching(reason), log_level: LOG_ERROR })]);
    expect(stored()).toBeNull();
  });

  it("fails in time when the platform does not answer before the connector has begun", async () => {
    host.platform.silent.add("GetContextProperty overflow_settings");
    const started = Date.now();
    const answer = await run(oneAlert, { fields: { PythonProcessTimeout: "5" } });
    expect(answer).toMatchObject({ exitCode: 1, alerts: [] });
    expect(answer.stderr).toContain("it did not answer in time. Nothing was run.");
    expect(Date.now()).toBeLessThan(started + 5_000);
  });

  it.each(["abc", "0", "-5", "nan"])(
    "takes the default for a Python Process Timeout of %s, and says so",
    async (given) => {
      const { exitCode, log } = await run([done()], { fields: { PythonProcessTimeout: given } });
      expect(exitCode).toBe(0);
      // The platform's own SDK logs, too.
      expect(log.filter(({ message }) => message.includes("Timeout"))).toEqual([
        expect.objectContaining({
          log_level: 2,
          message:
            `Python Process Timeout is not a positive number of seconds: ${given}. This run stops after 300 seconds.` +
            " Correct the parameter of the connector.",
        }),
      ]);
      expect(await secondsLeft()).toBeCloseTo(290, -1);
    },
  );

  it("takes the default for a Python Process Timeout that is empty", async () => {
    const { log } = await run([done()], { fields: { PythonProcessTimeout: "" } });
    expect(log.filter(({ message }) => message.includes("Timeout"))).toEqual([]);
    expect(log.at(-1)).toMatchObject({ message: "Done." });
    expect(await secondsLeft()).toBeCloseTo(290, -1);
  });

  it.each(["inf", "1e15"])("takes a Python Process Timeout of %s for a day", async (given) => {
    expect(await run([done()], { fields: { PythonProcessTimeout: given } })).toMatchObject({ exitCode: 0 });
    expect(await secondsLeft()).toBeCloseTo(86_400, -2);
  });

  it("hands over nothing and stores nothing when it is terminated among its alerts", async () => {
    await host.node.says([...oneAlert.slice(0, 1), alert(alertOf("A2"), { n: 2 }), done()]);
    host.platform.beforeStore = () => {
      script.kill("SIGTERM");
      return Promise.resolve();
    };
    const script = startConnector(host.node, host.platform, { env: host.node.env });
    expect(await script.ended).toMatchObject({ exitCode: 113, stdout: "" });
    expect(stored()).toBeNull();
  });

  it("delivers and stores nothing when the plugin is of another build", async () => {
    const folder = await runtimeIn(host.node);
    const other = folder.replace(/.{8}$/, "00000000");
    await rename(folder, other);
    try {
      const answer = await run(oneAlert);
      expect(answer).toMatchObject({ exitCode: 1, alerts: [] });
      expect(answer.stderr).toContain(`${basename(folder)}, which holds the plugin of these scripts, is missing.`);
      expect(stored()).toBeNull();
    } finally {
      await rename(other, folder);
    }
  });

  it("does not store a checkpoint that is longer than the platform keeps, and says so", async () => {
    host.platform.properties.set(checkpointKey, '{"n":0}');
    const answer = await run([done({ checkpoint: { text: "x".repeat(3_000_000) } })]);
    expect(answer.exitCode).toBe(0);
    expect(answer.log.map(({ message }) => message)).toContainEqual(
      expect.stringMatching(
        /^The checkpoint was not stored: it has 3000011 characters, and the platform keeps 3000000/,
      ),
    );
    expect(stored()).toEqual({ n: 0 });
  });

  it("stops a plugin that outlives PythonProcessTimeout and keeps what it delivered", async () => {
    const answer = await runUnderNode(
      `say({ type: "alert", alert: ${JSON.stringify(alertOf("A1"))}, checkpoint: { n: 1 } }); await forever();`,
      { fields: { PythonProcessTimeout: "4" } },
    );
    expect(answer).toMatchObject({ exitCode: 0, alerts: [{ ticket_id: idOf("A1") }] });
    expect(answer.stderr).toContain("stopped at the run's deadline");
    expect(stored()).toEqual({ n: 1 });
  });

  it("passes the connector's proxy on, and shows its password to nobody but Node.js", async () => {
    const fields = {
      "Proxy Server Address": "http://proxy.test:3128",
      "Proxy Username": "ann",
      "Proxy Password": "sl/ash-of-ann",
    };
    const answer = await runUnderNode("done({ message: `${process.env.https_proxy} ${process.env.no_proxy}` });", {
      fields,
    });
    expect(answer.log.map(({ message }) => message)).toContain("http://[redacted]@proxy.test:3128 localhost,127.0.0.1");
    expect(JSON.stringify(answer)).not.toMatch(/sl.{1,3}ash/);
  });

  it("takes the proxy's password out of messages only, although alerts and checkpoints hold the same word", async () => {
    const fields = {
      "Proxy Server Address": "http://proxy.test:3128",
      "Proxy Username": "ann",
      "Proxy Password": "findings",
    };
    const given = alertOf("A1", { description: "Users with findings." });
    const answer = await runUnderNode(
      `say({ type: "alert", alert: ${JSON.stringify(given)}, checkpoint: { findings: 1 } });
       done({ message: process.env.https_proxy, checkpoint: { findings: 2 } });`,
      { fields },
    );
    expect(answer.alerts).toMatchObject([{ ticket_id: idOf("A1"), description: "Users with findings." }]);
    expect(stored()).toEqual({ findings: 2 });
    expect(answer.log.map(({ message }) => message)).toContain("http://[redacted]@proxy.test:3128");
  });

  it.each([
    "proxy.test:3128",
    " http://proxy.test:3128 ",
    "http://",
    "http://proxy.test:3l28",
    "http://proxy.test:99999",
    "http://user:secret@proxy.test:3128",
    "http://[::1",
    "http://[fd00::1]:3128",
  ])("says that %j is no address of a proxy, instead of what the SDK makes of it", async (address) => {
    const answer = await run([done()], { fields: { "Proxy Server Address": address } });
    expect(answer).toMatchObject({ exitCode: 1, alerts: [] });
    expect(answer.stderr).toContain("Proxy Server Address is not an address such as http://proxy.example.com:3128.");
  });

  it("fails when there is no Node.js", async () => {
    const answer = await runConnector(host.node, host.platform, { env: { PATH: "/nowhere" } });
    expect(answer).toMatchObject({ exitCode: 1, alerts: [] });
    expect(answer.stderr).toContain("The plugin needs Node.js 20 or later, and found none");
  });
});

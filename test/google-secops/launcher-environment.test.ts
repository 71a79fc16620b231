import { expect, it } from "@jest/globals";
import { alertOf, done } from "./fake-plugin.ts";
import { python } from "./installation.ts";
import { idOf, runConnector } from "./run-script.ts";
import { standInsForEachTest } from "./stand-ins.ts";

python.describe("the environment of an alert that the connector delivers", () => {
  const host = standInsForEachTest();
  const FIELD = "Environment Field Name";
  const PATTERN = "Environment Regex Pattern";

  /** Runs the connector with one alert for each of these lists of events. */
  async function deliver(alerts: readonly object[][], fields: Record<string, string>) {
    const messages = alerts.map((events, index) => ({ type: "alert", alert: alertOf(`A${index}`, { events }) }));
    await host.node.says([...messages, done()]);
    const answer = await runConnector(host.node, host.platform, { fields, env: host.node.env });
    const log = answer.log.map(({ message }) => message);
    return { ...answer, log, environments: answer.alerts.map(({ environment }) => environment) };
  }

  const acme = [{ environment_name: "ACME / CORP.TEST", tier: 0 }];
  const globex = [{ other: "x" }, { environment_name: "GLOBEX / LAB.TEST" }];
  const ours = "Default Environment";

  it.each<[string, Record<string, string>, string[]]>([
    ["is the connector's own when no field is named", {}, [ours, ours]],
    ["is the connector's own when the field is blank", { [FIELD]: " ", [PATTERN]: "x" }, [ours, ours]],
    [
      "is the text of the field, in the first event that has it",
      { [FIELD]: "environment_name" },
      ["ACME / CORP.TEST", "GLOBEX / LAB.TEST"],
    ],
    ["is what the pattern finds", { [FIELD]: "environment_name", [PATTERN]: "^[A-Z]+" }, ["ACME", "GLOBEX"]],
    ["takes a number as its text", { [FIELD]: "tier" }, ["0", ours]],
  ])("%s", async (_, fields, expected) => {
    expect((await deliver([acme, globex], fields)).environments).toEqual(expected);
  });

  it("is the connector's own where the field is missing or the pattern finds nothing, and the log says so", async () => {
    const one = await deliver([acme, [{ other: "x" }]], { [FIELD]: "environment_name" });
    expect(one.environments).toEqual(["ACME / CORP.TEST", ours]);
    expect(one.log).toContain(
      "1 alert has no environment in the event field environment_name (Environment Field Name), or Environment Regex Pattern" +
        " does not match it. The connector's own environment is used: Default Environment.",
    );
    const both = await deliver([acme, globex], { [FIELD]: "environment_name", [PATTERN]: "[a-z]*" });
    expect(both.environments).toEqual([ours, ours]);
    expect(both.log.join("\n")).toContain("2 alerts have no environment");
  });

  it("makes another alert of one that the platform may have in another environment", async () => {
    const { alerts } = await deliver([acme, globex], { [FIELD]: "environment_name", [PATTERN]: "^[A-Z]+" });
    expect(alerts.map(({ ticket_id }) => ticket_id)).toEqual([idOf("A0", "ACME"), idOf("A1", "GLOBEX")]);
  });

  it("divides no finding type whose alerts overflow, where the platform counts those of all types together", async () => {
    const settings = '{"max_alerts_in_time_period": 1, "is_rule_generator_considered": false}';
    host.platform.properties.set("4/overflow_settings/overflow_settings", settings);
    const { environments } = await deliver([acme, acme, globex], {
      [FIELD]: "environment_name",
      [PATTERN]: "^[A-Z]+",
    });
    expect(environments).toEqual(["ACME"]);
  });

  it("counts for the platform's overflow limit", async () => {
    host.platform.properties.set("4/overflow_settings/overflow_settings", '{"max_alerts_in_time_period": 1}');
    const { environments } = await deliver([acme, globex], { [FIELD]: "environment_name", [PATTERN]: "^[A-Z]+" });
    expect(environments).toEqual(["ACME", "GLOBEX"]);
  });

  it("delivers nothing when the pattern is not one, and names the parameter", async () => {
    const { alerts, exitCode, stderr } = await deliver([acme], { [FIELD]: "environment_name", [PATTERN]: "(" });
    expect([alerts, exitCode]).toEqual([[], 1]);
    expect(stderr).toContain("Environment Regex Pattern is not a valid regular expression: missing ), unterminated");
    expect(host.platform.properties.size).toBe(0);
  });
});

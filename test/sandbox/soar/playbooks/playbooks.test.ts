import { afterEach, beforeEach, describe, expect, it } from "@jest/globals";
import { join } from "node:path";
import Libsql from "libsql";
import { openHost, type Host } from "../../../../sandbox/soar/index.ts";
import type { JsonObject } from "../../../../src/runtime/protocol.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { FIELDS, packageFiles, plugin } from "../fake-package.ts";
import { zipOf } from "../../../support/zip.ts";
import { IDENTIFIER } from "../running.ts";

const NAME = "Triage";
const PLAYBOOK = {
  name: NAME,
  description: "Looks and tags.",
  trigger: { product: "Attack Path Analysis" },
  steps: [
    {
      name: "Look Up",
      action: "Get Object Id",
      parameters: { "Object Names": "[Event.source_user],[Event.nothing]" },
      continueOnFailure: true,
    },
    {
      name: "One Target",
      branches: [
        {
          name: "One",
          conditions: [
            { field: "[Event.source_user]", is: "not-empty" },
            { field: "[Event.target_object_id]", is: "equal", value: "S-1-CORP.LOCAL-512" },
          ],
          steps: [
            {
              name: "Check",
              action: "Does Path Exist",
              parameters: { "Start Node": "[Event.source_user]", "End Node": "[Event.target_object_id]" },
            },
            {
              name: "State",
              branches: [
                {
                  name: "Open",
                  conditions: [{ field: '[Check.JsonResult| "summary.verdict"]', is: "equal", value: "open" }],
                  steps: [
                    { name: "Tag Open", integration: "Siemplify", action: "Case Tag", parameters: { Tag: "open" } },
                    {
                      name: "Report",
                      integration: "Siemplify",
                      action: "Case Comment",
                      parameters: { Comment: '[Check.is_success]: [Check.JsonResult| "paths.end"]' },
                    },
                    {
                      name: "Raise",
                      integration: "Siemplify",
                      action: "Change Alert Priority",
                      parameters: { "Alert Priority": "High" },
                    },
                  ],
                },
                {
                  name: "Closed",
                  conditions: [{ field: '[Check.JsonResult| "summary.verdict"]', is: "equal", value: "closed" }],
                  steps: [
                    { name: "Tag Closed", integration: "Siemplify", action: "Case Tag", parameters: { Tag: "closed" } },
                  ],
                },
              ],
              otherwise: [],
            },
          ],
        },
      ],
      otherwise: [{ name: "Unknown", integration: "Other", action: "Mail", parameters: {} }],
    },
  ],
};
const answer = (verdict: string) =>
  `result({ value: true, message: JSON.stringify(request.parameters),
     json: { summary: { verdict: "${verdict}" }, paths: [{ end: "A" }, { end: "B" }, { end: "A" }] } });`;

const folder = temporaryFolder();
let data: string;
let host: Host;
let round = 0;
beforeEach(() => {
  data = join(folder, `host-${(round += 1)}`);
  host = openHost({ data });
});
afterEach(() => host.close());

const ALERT = `send({ type: "alert", alert: alert("a-" + Date.now()) }); result();`;

/** Installs the playbook with a plugin whose connector delivers an alert, and whose actions do what `act` says. */
async function prepare(act: string, deliver = ALERT): Promise<{ connectorId: string; poll: () => Promise<number> }> {
  const files = await packageFiles(plugin(`if (request.kind === "connector") { ${deliver} } else { ${act} }`));
  const manifest = JSON.parse(files.get("integration.json")!) as JsonObject;
  files.set("integration.json", JSON.stringify({ ...manifest, playbooks: ["playbooks/triage.json"] }));
  files.set("playbooks/triage.json", JSON.stringify(PLAYBOOK));
  await host.install(zipOf(files));
  const { id } = host.connectors.add({ integration: IDENTIFIER, name: "Findings", parameters: FIELDS });
  return {
    connectorId: id,
    poll: async () => {
      await host.runConnector(id);
      return host.alerts.alerts()[0]!.key;
    },
  };
}

function addInstance(server: string = FIELDS.Server): string {
  return host.instances.add({ integration: IDENTIFIER, name: server, parameters: { ...FIELDS, Server: server } }).id;
}

async function finished(id: string) {
  await host.playbooks.idle();
  return host.playbookRuns.view(id);
}

function playbookEnded(of: Host): Promise<void> {
  return new Promise((resolve) => {
    of.live.on((event) => {
      if (event.type === "playbook_run" && event.run.status !== "running") resolve();
    });
  });
}

/** Resolves when an alert was stored. */
function stored(of: Host): Promise<void> {
  return new Promise((resolve) => {
    const stop = of.live.on((event) => {
      if (event.type !== "case") return;
      stop();
      resolve();
    });
  });
}

const statuses = (steps: { name: string; status: string }[]) =>
  Object.fromEntries(steps.map(({ name, status }) => [name, status]));

describe("a playbook", () => {
  it("is shown with its steps and conditions in words", async () => {
    await prepare("result();");
    const [view] = await host.playbooks.list();
    expect(view).toMatchObject({ name: NAME, integration: IDENTIFIER, enabled: false });
    expect(view!.steps.map(({ kind, action }) => [kind, action])).toEqual([
      ["action", "Get Object Id"],
      ["condition", null],
    ]);
    const [one, otherwise] = view!.steps[1]!.branches;
    expect([one!.name, otherwise!.name]).toEqual(["One", "Otherwise"]);
    expect(one!.conditions).toEqual(["Event.source_user is not empty", "Event.target_object_id is S-1-CORP.LOCAL-512"]);
    expect(one!.steps[1]!.branches.map(({ name, conditions }) => [name, conditions])).toEqual([
      ["Open", ["summary.verdict of Check is open"]],
      ["Closed", ["summary.verdict of Check is closed"]],
      ["Otherwise", []],
    ]);
  });

  it("runs its steps on an alert, decides by their values, and acts on the case", async () => {
    const { poll } = await prepare(answer("open"));
    addInstance();
    const key = await poll();
    const { id } = await host.playbooks.start(NAME, key, "Kim");
    const run = await finished(id);
    expect(run).toMatchObject({ playbook: NAME, alertKey: key, by: "Kim", status: "done" });
    expect(statuses(run.steps)).toEqual({
      "Look Up": "done",
      "One Target": "done",
      Check: "done",
      State: "done",
      "Tag Open": "done",
      Report: "done",
      Raise: "done",
      "Tag Closed": "skipped",
      Unknown: "skipped",
    });
    expect(run.steps[0]!.message).toBe('{"Object Names":"ALICE@CORP.LOCAL,"}');
    const view = host.cases.view(run.caseId);
    expect(view).toMatchObject({ tags: ["open"], priority: 80, playbookRuns: [{ id }] });
    expect(view.comments.map(({ text }) => text)).toEqual(["true: A,B"]);
    expect(view.actions.map(({ action, by }) => [action, by])).toEqual([
      ["Does Path Exist", NAME],
      ["Get Object Id", NAME],
    ]);
    expect(view.history.map(({ by, text }) => `${by}: ${text}`)).toContain("Triage: Added the tag open.");
  });

  it("goes on after a failure only where the step says so", async () => {
    const { poll } = await prepare(`result({ status: "failed", value: false, message: "No." });`);
    addInstance();
    const { id } = await host.playbooks.start(NAME, await poll());
    const run = await finished(id);
    expect(run.status).toBe("failed");
    expect(statuses(run.steps)).toMatchObject({
      "Look Up": "failed",
      Check: "failed",
      State: "skipped",
      "Tag Open": "skipped",
    });
  });

  it("says what a condition found, and which platform action this host does not have", async () => {
    const two = `const [event] = alert("x").events;
      send({ type: "alert", alert: alert("a", { events: [event, { ...event, target_object_id: "S-2" }] }) }); result();`;
    const { poll } = await prepare("result();", two);
    addInstance();
    const { id } = await host.playbooks.start(NAME, await poll());
    const { steps, status } = await finished(id);
    expect(status).toBe("failed");
    expect(steps[1]!.message).toBe(
      "Otherwise. Event.source_user is ALICE@CORP.LOCAL. Event.target_object_id is S-1-CORP.LOCAL-512,S-2.",
    );
    expect(steps.at(-1)).toMatchObject({
      status: "failed",
      message: expect.stringContaining("no action Mail of Other") as unknown,
    });
  });

  it("asks the instance of the tenant that the alert came from, and says when there is none", async () => {
    const { poll } = await prepare(`result({ message: request.instance.Server });`);
    const key = await poll();
    const alone = await finished((await host.playbooks.start(NAME, key)).id);
    expect(alone.steps[0]).toMatchObject({ status: "failed", message: expect.stringContaining("Add one") as unknown });
    addInstance("https://other.test");
    addInstance();
    const { steps } = await finished((await host.playbooks.start(NAME, key)).id);
    expect(steps[0]!.message).toBe(FIELDS.Server);
  });

  it("runs on each new alert once it is enabled and the host is started", async () => {
    const { poll } = await prepare(answer("closed"));
    addInstance();
    host.start();
    await poll();
    await host.playbooks.idle();
    expect(host.cases.view(1).playbookRuns).toEqual([]);
    const told = new Promise((resolve) => {
      host.live.on(({ type }) => {
        if (type === "playbooks") resolve(type);
      });
    });
    expect(await host.playbooks.enable(NAME, true)).toMatchObject({ enabled: true });
    await told;
    const ended = playbookEnded(host);
    await poll();
    await ended;
    expect(host.cases.view(1)).toMatchObject({ tags: ["closed"], playbookRuns: [{ by: "New alert", status: "done" }] });
    await expect(host.playbooks.enable("Other", true)).rejects.toThrow('no playbook "Other"');
  });

  it("runs once on each alert that the host had stored before it was killed or stopped", async () => {
    const { connectorId } = await prepare(
      answer("closed"),
      `send({ type: "alert", alert: alert("a-" + (request.state?.n ?? 0)), checkpoint: { n: (request.state?.n ?? 0) + 1 } });
       setInterval(() => {}, 1_000);`,
    );
    addInstance();
    host.start();
    await host.playbooks.enable(NAME, true);
    const run = host.runConnector(connectorId);
    await stored(host);
    // All that a host that is killed leaves is its folder.
    const killed = host;
    host = openHost({ data });
    const byPlaybook = () => host.cases.view(1).playbookRuns.map(({ alertKey, status }) => [alertKey, status]);
    const first = playbookEnded(host);
    host.start();
    await first;
    expect(byPlaybook()).toEqual([[1, "done"]]);
    await killed.close();
    await run;
    void host.runConnector(connectorId);
    await stored(host);
    await host.close();
    host = openHost({ data });
    const second = playbookEnded(host);
    host.start();
    await second;
    expect(byPlaybook()).toEqual([
      [2, "done"],
      [1, "done"],
    ]);
  });

  it("runs on the alerts of a run that failed when the disk was full, after the next run", async () => {
    const { connectorId } = await prepare(answer("closed"), `send({ type: "alert", alert: alert("a-1") }); result();`);
    addInstance();
    host.start();
    await host.playbooks.enable(NAME, true);
    const database = new Libsql(join(data, "host.db"));
    const refuse = "BEGIN SELECT RAISE(ABORT, 'no space'); END";
    database.exec(`
      CREATE TRIGGER full BEFORE UPDATE OF status ON runs ${refuse};
      CREATE TRIGGER stuck BEFORE DELETE ON playbook_queue ${refuse};`);
    await expect(host.runConnector(connectorId)).rejects.toThrow("no space");
    database.exec("DROP TRIGGER full; DROP TRIGGER stuck");
    database.close();
    const ended = playbookEnded(host);
    await host.runConnector(connectorId);
    await ended;
    expect(host.cases.view(1).playbookRuns).toMatchObject([{ alertKey: 1, status: "done" }]);
  });

  it("that waited when the host was stopped runs when the host starts, with the steps that it has by then", async () => {
    const { poll } = await prepare(answer("closed"));
    addInstance();
    const key = await poll();
    const ids = [await host.playbooks.start(NAME, key), await host.playbooks.start(NAME, key)].map(({ id }) => id);
    await host.close();
    host = openHost({ data });
    const waiting = host.playbookRuns.view(ids[1]!);
    expect(waiting.status).toBe("running");
    host.playbookRuns.keep({
      ...waiting,
      steps: waiting.steps.map((step) => ({ ...step, name: `Former ${step.name}` })),
    });
    const ended = playbookEnded(host);
    host.start();
    await ended;
    expect(host.playbookRuns.view(ids[1]!).status).toBe("done");
  });

  it("that an earlier process has left is ended when the host starts", async () => {
    const { poll } = await prepare("result();");
    const alertKey = await poll();
    const step = { name: "Look Up", status: "running", message: "", startedAt: 1, endedAt: null, runId: null } as const;
    const run = { id: "left", playbook: NAME, alertKey, caseId: 1, by: "Kim", startedAt: 1, endedAt: null };
    host.playbookRuns.keep({ ...run, status: "running", steps: [step] });
    host.start();
    expect(host.playbookRuns.view("left")).toMatchObject({ status: "failed", steps: [{ status: "failed" }] });
  });
});

import { beforeAll, beforeEach, describe, expect, it } from "@jest/globals";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import type { Item } from "../../src/packaging/n8n/node/n8n.ts";
import {
  executeFunctions,
  httpRequest,
  loadN8nPackage,
  movableClock,
  type N8nPackage,
  pollFunctions,
} from "../support/n8n.ts";
import { firstStream, startTenant } from "../support/tenant.ts";

const DAY = 86_400_000;
/** How a warning of the trigger begins, unlike what the plugin itself logs. */
const WARNING = 'Workflow "Findings", node "Trigger": ';

let built: N8nPackage;
const clock = movableClock();

beforeAll(async () => {
  built = await loadN8nPackage();
});

describe("the trigger for n8n", () => {
  let tenant: Tenant;
  let names: string[];

  beforeEach(async () => {
    const dataset = { environments: 2, findingTypes: 3, findingsPerPair: 2 };
    tenant = await startTenant({ dataset, dialect: "bloodhound-enterprise" });
    names = tenant.data.environments.map(({ name }) => name);
  });

  function credential() {
    return { server: tenant.url, tokenId: tenant.tokenId, tokenKey: tenant.tokenKey };
  }

  /** A trigger in a workflow: each poll goes on where the last one stopped. */
  function trigger(options: Parameters<typeof pollFunctions>[2] = {}) {
    const functions = pollFunctions(built.trigger.description, credential(), options);
    return {
      functions,
      poll: async (): Promise<Item[]> => (await built.trigger.poll.call(functions))?.[0] ?? [],
      warnings: (): string[] =>
        functions.logged.filter((line) => line.startsWith(WARNING)).map((line) => line.slice(WARNING.length)),
    };
  }

  /** A trigger whose requests wait until the test lets the service answer. */
  function heldTrigger() {
    let answer = (): void => undefined;
    const answers = new Promise<void>((resolve) => (answer = resolve));
    const helpers = {
      httpRequest: (options: Parameters<typeof httpRequest>[0]) => answers.then(() => httpRequest(options)),
    };
    return { ...trigger({ helpers }), answer };
  }

  function refuse({ path }: { path: string }): void {
    tenant.control.fault({ path, effect: { kind: "status", status: 403 } });
  }

  function execute(parameters: Record<string, unknown>): Promise<Item[][]> {
    return built.node.execute.call(executeFunctions(built.node.description, { credential: credential(), parameters }));
  }

  it("returns what is new since the last poll, and nothing else", async () => {
    const { functions, poll } = trigger();
    expect(await poll()).toHaveLength(6);
    expect(await built.trigger.poll.call(functions)).toBeNull();
  });

  it("says before somebody renames it that n8n then forgets its place", () => {
    expect(built.trigger.description.description).toContain("if you rename it, everything is delivered again.");
  });

  it("leaves out a poll that n8n starts before the last one has ended", async () => {
    const { functions, poll, answer } = heldTrigger();
    const first = poll();
    expect(await built.trigger.poll.call(functions)).toBeNull();
    answer();
    expect(await first).toHaveLength(6);
    expect(await built.trigger.poll.call(functions)).toBeNull();
    const { environmentId, findingType } = firstStream(tenant);
    tenant.control.analyse(environmentId, { findings: { [findingType]: 1 } });
    expect(await poll()).toHaveLength(1);
  });

  it("leaves out such a poll also if n8n lends each poll a copy of its memory", async () => {
    const { functions, poll, answer } = heldTrigger();
    const first = poll();
    const copy = { ...functions, getWorkflowStaticData: () => ({ ...functions.memory }) };
    const second = built.trigger.poll.call(copy);
    answer();
    expect(await second).toBeNull();
    expect(await first).toHaveLength(6);
  });

  it("polls one node while another one polls, and while the same one is copied into another workflow", async () => {
    const { poll, answer } = heldTrigger();
    const first = poll();
    expect(await trigger({ getNode: () => ({ id: "another", name: "Trigger" }) }).poll()).toHaveLength(6);
    expect(await trigger({ getWorkflow: () => ({ id: "another", name: "Findings" }) }).poll()).toHaveLength(6);
    answer();
    expect(await first).toHaveLength(6);
  });

  it("refuses a timeout that is none, and says what to correct", async () => {
    const { poll } = trigger({ parameters: { options: { timeout: "5 minutes" } } });
    await expect(poll()).rejects.toMatchObject({
      name: "NodeOperationError",
      message: "Timeout is not a number of seconds between 1 and 86400.",
    });
  });

  it("ends before n8n drops what it returns, and goes on there", async () => {
    const [, type] = tenant.data.findingTypes(tenant.data.environments[0]!.id);
    const silent = new RegExp(`/details.*finding=${type}`);
    const { functions } = trigger({
      getPollBudgetMs: () => 2_000,
      helpers: {
        httpRequest: (options) =>
          silent.test(options.url)
            ? new Promise((_, reject) => {
                options.abortSignal!.addEventListener("abort", () => {
                  reject(options.abortSignal!.reason as Error);
                });
              })
            : httpRequest(options),
      },
    });
    const [some] = (await built.trigger.poll.call(functions)) ?? [];
    functions.helpers.httpRequest = httpRequest;
    const [others] = (await built.trigger.poll.call(functions)) ?? [];
    expect(some!.length).toBeGreaterThan(0);
    expect([...some!, ...others!]).toHaveLength(6);
  });

  it.each([[0], [-1], [NaN], [undefined]])("ends when Timeout says so where n8n allows it %j ms", async (budget) => {
    const { poll } = trigger({ getPollBudgetMs: () => budget as number });
    expect(await poll()).toHaveLength(6);
  });

  it("remembers the checkpoint of a failed run, and still fails", async () => {
    tenant.control.fault({ effect: { kind: "status", status: 429 } });
    const { functions, poll } = trigger();
    await expect(poll()).rejects.toMatchObject({ name: "NodeApiError", httpCode: "429" });
    expect(functions.memory).toEqual({ checkpoint: expect.stringContaining("requestsPerSecond") });
  });

  it("says in each item how the run went that found it", async () => {
    const { poll, warnings } = trigger();
    const run = { status: "completed", message: "Delivered 12 new findings in 6 alerts from 2 environments." };
    expect((await poll()).map(({ json }) => json["run"])).toEqual(Array(6).fill(run));
    expect(warnings()).toEqual([]);
  });

  it("returns alerts that the operations take as they are", async () => {
    const [item] = await trigger().poll();
    const [, [checkpoint] = []] = await execute({ operation: "followUpFindings", alert: item!.json });
    expect(checkpoint!.json).toMatchObject({ status: "completed", alerts: { judged: 1 } });
    const [paths] = await execute({ operation: "doesPathExist", alert: item!.json });
    expect(paths!.length).toBeGreaterThan(0);
  });

  describe("in a published workflow", () => {
    it("warns once about an environment that is refused again and again, and once more after a day", async () => {
      refuse({ path: `${tenant.data.environments[1]!.id}.*details` });
      const { poll, warnings } = trigger();
      for (let polls = 0; polls < 3; polls++) await poll();
      expect(warnings()).toEqual([expect.stringMatching(`^Incomplete: ${names[1]!} / .*403`)]);
      clock.aheadMs += DAY + 60_000;
      for (let polls = 0; polls < 3; polls++) await poll();
      expect(warnings()).toHaveLength(2);
    });

    it("does not warn twice within a day about what comes and goes", async () => {
      const { poll, warnings } = trigger();
      const path = `${tenant.data.environments[1]!.id}.*details`;
      for (const isRefused of [true, false, true]) {
        if (isRefused) refuse({ path });
        else tenant.control.clearFaults();
        clock.aheadMs += 3_600_000;
        await poll();
      }
      expect(warnings()).toHaveLength(1);
    });

    it("warns once about a stream whose count is always wrong", async () => {
      const { environmentId, findingType } = firstStream(tenant);
      const query = { finding: findingType };
      tenant.control.fault({ path: `${environmentId}/details`, query, effect: { kind: "wrong-count", by: 7 } });
      const { poll, warnings } = trigger();
      for (let polls = 0; polls < 3; polls++) await poll();
      expect(warnings()).toEqual([expect.stringContaining(`Incomplete: ${names[0]!} / ${findingType}`)]);
    });

    it("warns once about names that nothing has, whatever is new, and again when there are others", async () => {
      const parameters: Record<string, string> = { selectedEnvironments: `${names[0]!}, EUU.TEST` };
      const { poll, warnings } = trigger({ parameters });
      await poll();
      const { environmentId, findingType } = firstStream(tenant);
      tenant.control.analyse(environmentId, { findings: { [findingType]: 1 } });
      expect(await poll()).toHaveLength(1);
      await poll();
      const wrongEnvironment = "Selected Environments names EUU.TEST, which the token cannot see.";
      expect(warnings()).toEqual([expect.stringContaining(wrongEnvironment)]);
      parameters["selectedFindingTypes"] = `${findingType}, Tx`;
      for (let polls = 0; polls < 3; polls++) {
        clock.aheadMs += 3_600_000;
        await poll();
      }
      expect(warnings()).toEqual([
        expect.stringContaining(wrongEnvironment),
        expect.stringContaining("Selected Finding Types names Tx, which no selected environment has at the moment."),
      ]);
    });

    it("warns once while Most Alerts leaves findings for the next polls", async () => {
      const { poll, warnings } = trigger({ parameters: { options: { maxAlerts: 1 } } });
      for (let polls = 0; polls < 4; polls++) expect(await poll()).toHaveLength(1);
      expect(warnings()).toEqual([expect.stringContaining("The host accepts no more alerts in this run.")]);
    });

    it("does not count alerts as delivered when the warning cannot be written", async () => {
      const { functions, poll } = trigger({ parameters: { selectedEnvironments: `${names[0]!}, EUU.TEST` } });
      const broken = () => {
        throw new Error("The log is full.");
      };
      const withoutLog = { ...functions, logger: { warn: broken, error: broken } };
      await expect(built.trigger.poll.call(withoutLog)).rejects.toThrow("The log is full.");
      expect(await poll()).toHaveLength(3);
    });

    it("never writes the token key", async () => {
      refuse({ path: `${tenant.data.environments[1]!.id}.*details` });
      const { functions, poll } = trigger();
      const items = await poll();
      expect(functions.logged).not.toEqual([]);
      expect(JSON.stringify([items, functions.logged])).not.toContain(tenant.tokenKey);
    });
  });

  describe("in the editor", () => {
    it("returns a sample, and remembers and logs nothing", async () => {
      const { functions, poll } = trigger({ mode: "manual" });
      expect((await poll()).length).toBeGreaterThan(0);
      expect([functions.memory, functions.logged]).toEqual([{}, []]);
    });

    it("shows in the sample which selected name does not exist", async () => {
      const parameters = { selectedEnvironments: `${names[0]!}, EUU.TEST` };
      const [item] = await trigger({ mode: "manual", parameters }).poll();
      expect(Object.keys(item!.json)[0]).toBe("run");
      expect(item!.json["run"]).toEqual({
        status: "completed",
        message: expect.stringMatching(/^Selected Environments names EUU\.TEST, .* The connector works\./),
      });
    });

    it("says why there is no sample when nothing is found", async () => {
      for (const { id } of tenant.data.environments)
        for (const type of tenant.data.findingTypes(id)) tenant.control.removeFindingType(id, type);
      const parameters = { selectedEnvironments: `${names[0]!}, EUU.TEST` };
      await expect(trigger({ mode: "manual", parameters }).poll()).rejects.toMatchObject({
        name: "NodeOperationError",
        message: "The test found no finding to show.",
        description: expect.stringMatching(/^Selected Environments names EUU\.TEST, .* The connector works\./),
      });
    });
  });
});

import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";
import type { Tenant } from "../../sandbox/tenant/index.ts";
import type { Alert } from "../../src/runtime/protocol.ts";
import type { N8nApi } from "./api.ts";
import { exampleWorkflow, type Trial } from "./trial.ts";

const START = "Every 2 Hours";
const TABLE = "attack_path_alerts";
/** The service tells its time in whole seconds, so an analysis of the same second may count as one that has yet to end. */
const SECOND_MS = 1_000;

/** The example workflow that follows up the alerts in the table, with Close Alerts switched on. */
export class FollowUpTrial {
  readonly #api: N8nApi;
  readonly #tenant: Tenant;
  readonly #workflow: { id: string };
  /** The alert whose findings are gone. */
  readonly #alert: Alert;

  private constructor(api: N8nApi, tenant: Tenant, workflow: { id: string }, alert: Alert) {
    this.#api = api;
    this.#tenant = tenant;
    this.#workflow = workflow;
    this.#alert = alert;
  }

  /** Remediates the findings of an alert, and runs the workflow after the first analysis without them. */
  static async begin(api: N8nApi, tenant: Tenant, credential: string): Promise<FollowUpTrial> {
    const example = await exampleWorkflow("follow-up-alerts");
    for (const { parameters } of example.nodes) if ("closeAlerts" in parameters) parameters["closeAlerts"] = true;
    const workflow = await api.addWorkflow(example, credential);
    const [row] = await api.rows(TABLE);
    const alert = JSON.parse(String(row?.["alert"])) as Alert;
    const trial = new FollowUpTrial(api, tenant, workflow, alert);
    await trial.#run(0);
    const { environmentId, findingType, events } = alert;
    for (const { finding_id: id } of events) tenant.control.remediateFinding(environmentId, findingType, Number(id));
    await trial.#analyse();
    await trial.#run(0);
    assert.equal((await trial.#row())["status"], null);
    return trial;
  }

  /** After another analysis, more than a day later, once the lists have settled. */
  async end(say: Trial["say"]): Promise<void> {
    await this.#run(1);
    const { closed_at: closedAt, comment, ...closed } = await this.#row();
    assert.deepEqual([closed["status"], closed["closed_by"], closed["reopened_by"]], ["closed", "job", null]);
    assert.match(String(closedAt), /^\d{4}-\d\d-\d\dT/);
    assert.match(String(comment), /analys/);
    await this.#run(0);
    say("The alert whose findings are gone is closed, on the state from before the upgrade.");
    const { environmentId, findingType, events } = this.#alert;
    this.#tenant.control.bringFindingBack(environmentId, findingType, Number(events[0]?.["finding_id"]));
    await this.#analyse();
    await this.#run(1);
    const opened = await this.#row();
    assert.deepEqual([opened["status"], opened["closed_by"], opened["reopened_by"]], ["open", "job", "job"]);
    await this.#run(0);
    say("It is open again when a finding is back.");
  }

  async #analyse(): Promise<void> {
    this.#tenant.control.analyse(this.#alert.environmentId, { findings: {} });
    await delay(SECOND_MS);
  }

  async #run(changes: number): Promise<void> {
    const { status, data } = await this.#api.execute(this.#workflow, START);
    assert.equal(status, "success", data.slice(0, 2_000));
    assert.match(data, /"Store Checkpoint":"\d+"/);
    assert.equal(/"Update Alert":"\d+"/.test(data), changes > 0, data.slice(0, 4_000));
  }

  async #row(): Promise<Record<string, unknown>> {
    const rows = await this.#api.rows(TABLE);
    return rows.find(({ alert_id: id }) => id === this.#alert.id) ?? {};
  }
}

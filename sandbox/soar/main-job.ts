import type { ActionName, ActionResult, ConnectorName } from "../../src/manifest/types.ts";
import type { JsonObject } from "../../src/runtime/protocol.ts";
import { openHost, type Host } from "./host.ts";
import { questionsAbout } from "./cases/questions.ts";
import { type Report, type Step } from "./report.ts";
import type { ActionReport, ConnectorReport } from "./runs/run-report.ts";
import { alertsTable, assetsTable, casesTable, eventsTable, objectsTable, pathTable } from "./tables.ts";
import { counted, messageOf } from "../../src/text.ts";

export interface MainJobOptions {
  /** The built package. */
  archive: string;
  /** Folder of the host. */
  data: string;
  /** Server, Token ID and Token Key, by label. */
  instance: JsonObject;
  /** Fields of the connector besides those of the instance, by label. */
  fields: JsonObject;
  signal: AbortSignal;
  report: Report;
  /** Simulated tenants only: makes a new analysis, and says how many findings it added. */
  analyse?: () => number;
}

const INSTANCE = "Main job";
const CONNECTOR: ConnectorName = "Attack Path Findings";
const ALERTS_SHOWN = 15;
const EVENTS_SHOWN = 10;
/** Of this many events, the worst, the questions to the actions come from. */
const EVENTS_SEARCHED = 5_000;

/** The job cannot go on: what is wrong has been reported, or a person has stopped it. */
class Stopped extends Error {}

/**
 * Installs the package, checks the connection, polls, asks each action about what was found, and polls again.
 * @returns whether every step went well, and nobody stopped it
 */
export async function runMainJob(options: MainJobOptions): Promise<boolean> {
  const host = openHost({ data: options.data });
  const job = new MainJob(host, options);
  try {
    await job.run();
  } catch (error) {
    if (!(error instanceof Stopped)) job.failed(error);
  } finally {
    await host.close();
  }
  const { data, signal, report } = options;
  const outcome = job.ok ? "All went well" : "Something went wrong";
  report.note(`\n${signal.aborted ? "Stopped" : outcome}. The host keeps its files and its log in ${data}.`);
  report.end();
  return job.ok && !signal.aborted;
}

class MainJob {
  ok = true;
  private readonly host: Host;
  private readonly options: MainJobOptions;
  private instanceId = "";
  private connectorId = "";

  constructor(host: Host, options: MainJobOptions) {
    this.host = host;
    this.options = options;
  }

  async run(): Promise<void> {
    await this.install();
    await this.ping();
    await this.firstPoll();
    await this.askActions();
    await this.laterPolls();
  }

  failed(error: unknown): void {
    this.report({ name: "Failed", ok: false, message: messageOf(error) });
  }

  private report(step: Step): void {
    this.ok &&= step.ok;
    this.options.report.step(step);
  }

  private async install(): Promise<void> {
    const started = Date.now();
    const { id, sha256, manifest } = await this.host.install(this.options.archive);
    const { instance, fields } = this.options;
    this.instanceId = this.host.configureInstance(id, INSTANCE, instance).id;
    this.connectorId = this.host.configureConnector(id, CONNECTOR, { ...instance, ...fields }).id;
    const offers = `${counted(manifest.actions.length, "action")} and ${counted(manifest.connectors.length, "connector")}`;
    this.report({
      name: "Install",
      ok: true,
      ms: Date.now() - started,
      message: `${manifest.name} ${manifest.version} with ${offers}; manifest and checksums are in order.`,
      facts: { package: id, sha256 },
    });
  }

  private async ping(): Promise<void> {
    const ping = await this.act("Ping", {});
    this.report({ name: "Ping", ok: ping.value === true, ms: ping.ms, message: ping.message, facts: answerOf(ping) });
    if (ping.value !== true) throw new Stopped();
  }

  private async firstPoll(): Promise<void> {
    const poll = await this.poll();
    const cases = this.host.alerts.cases();
    const alerts = this.host.alerts.alerts();
    const sampled = alerts.slice(0, EVENTS_SHOWN).flatMap(({ key }) => this.host.alerts.alert(key) ?? []);
    const events = sampled.flatMap((alert) => alert.events.slice(0, 1));
    const total = cases.reduce((sum, row) => sum + row.events, 0);
    this.report({
      name: "First poll",
      ok: wentWell(poll),
      ms: poll.ms,
      message: `${poll.message} Stored ${storedBy(poll)}.`,
      facts: { ...factsOf(poll), cases, alertList: alerts, eventSample: events },
      tables: [
        [`Cases (${cases.length}), grouped by source domain`, casesTable(cases)],
        [
          heading("Alerts", Math.min(ALERTS_SHOWN, alerts.length), alerts.length),
          alertsTable(alerts.slice(0, ALERTS_SHOWN)),
        ],
        [heading("Events", events.length, total), eventsTable(events)],
      ],
    });
    if (!wentWell(poll)) throw new Stopped();
  }

  private async askActions(): Promise<void> {
    const { names, ids, path, unrelated } = questionsAbout(
      this.host.alerts.events({ limit: EVENTS_SEARCHED }).map(({ event }) => event),
    );
    if (names.length > 0) {
      const found = await this.act("Get Object Id", { "Object Names": names });
      this.answer(found, "Get Object Id", (json) => objectsTable(json as ActionResult<"Get Object Id">));
    }
    if (path !== null) await this.askPath(path);
    await this.askForNoPath(unrelated);
    if (ids.length > 0) {
      const assets = await this.act("Fetch Assets", { "Object IDs": ids });
      this.answer(assets, "Fetch Assets", (json) => assetsTable(json as ActionResult<"Fetch Assets">));
    }
  }

  private async askPath([start, end]: [string, string]): Promise<void> {
    const path = await this.act("Does Path Exist", { "Start Node": start, "End Node": end });
    this.answer(path, "Does Path Exist", (json) => pathTable(json as ActionResult<"Does Path Exist">));
  }

  /** The findings do not show which pairs have no path, so it tries likely pairs until the service says that there is none. */
  private async askForNoPath(pairs: [string, string][]): Promise<void> {
    for (const [start, end] of pairs) {
      const path = await this.act("Does Path Exist", { "Start Node": start, "End Node": end });
      if (path.status !== "completed" || path.value === false) {
        this.answer(path, "Does Path Exist");
        return;
      }
    }
    const message = `Each of the ${counted(pairs.length, "pair")} that were tried has an attack path.`;
    if (pairs.length > 0) this.report({ name: "Does Path Exist", ok: true, message });
  }

  private async laterPolls(): Promise<void> {
    const { analyse } = this.options;
    if (analyse === undefined) {
      this.reportPoll("Second poll", await this.poll(), "");
      return;
    }
    const added = analyse();
    const second = await this.poll();
    this.reportPoll("Second poll", second, `A new analysis added ${counted(added, "finding")}.`, added);
    this.reportPoll("Third poll", await this.poll(), "The tenant has not changed.", 0);
  }

  private poll(): Promise<ConnectorReport> {
    const { signal, report } = this.options;
    const onProgress = ({ done, total, label }: { done: number; total: number; label: string }) => {
      report.progress(done, total, label);
    };
    return this.unlessStopped(this.host.runConnector(this.connectorId, { signal, onProgress }));
  }

  /** With `expected`, the number of new events must be exactly that. */
  private reportPoll(name: string, poll: ConnectorReport, before: string, expected?: number): void {
    const alerts = this.host.alerts.alerts({ runId: poll.runId });
    const complete = expected === undefined || poll.events === expected;
    const stored = poll.alerts === 0 ? "Stored no alert" : `Stored ${storedBy(poll)}`;
    const message = [before, poll.message, complete ? `${stored}.` : `${stored}, which is not what was added.`];
    this.report({
      name,
      ok: wentWell(poll) && complete,
      ms: poll.ms,
      message: message.filter((part) => part !== "").join(" "),
      facts: { ...factsOf(poll), ...(expected === undefined ? {} : { added: expected }), alertList: alerts },
      tables: alerts.length === 0 ? [] : [[heading("New alerts", alerts.length, alerts.length), alertsTable(alerts)]],
    });
  }

  private act(name: ActionName, parameters: JsonObject): Promise<ActionReport> {
    this.options.report.progress(0, 0, name);
    const { signal } = this.options;
    return this.unlessStopped(this.host.runAction(this.instanceId, name, parameters, { signal }));
  }

  /** A run that a person stopped is no failure, and nothing to report on. */
  private async unlessStopped<T>(run: Promise<T>): Promise<T> {
    const report = await run;
    if (this.options.signal.aborted) throw new Stopped();
    return report;
  }

  private answer(action: ActionReport, name: string, draw?: (json: JsonObject) => string): void {
    const { json, message, ms } = action;
    const ok = action.status === "completed";
    const drawn = draw !== undefined && json !== null ? draw(json) : null;
    this.report({
      name,
      ok,
      ms,
      message,
      facts: answerOf(action),
      ...(drawn !== null && { tables: [["", drawn]] }),
    });
  }
}

function wentWell({ status }: ConnectorReport): boolean {
  return status === "completed" || status === "partial";
}

function storedBy({ alerts, events, casesOpened, casesExtended, repeated }: ConnectorReport): string {
  const cases = [
    ...(casesOpened > 0 ? [`${counted(casesOpened, "case")} opened`] : []),
    ...(casesExtended.length > 0 ? [`${counted(casesExtended.length, "case")} extended`] : []),
    ...(repeated > 0 ? [`${counted(repeated, "repeated alert")} dropped`] : []),
  ];
  return [`${counted(alerts, "alert")} with ${counted(events, "event")}`, ...cases].join(", ");
}

function factsOf(poll: ConnectorReport): Record<string, unknown> {
  const { status, alerts, events, repeated, casesOpened, casesExtended } = poll;
  return { status, alerts, events, repeated, casesOpened, casesExtended };
}

function answerOf({ status, value, json }: ActionReport): Record<string, unknown> {
  return { status, value, result: json };
}

function heading(what: string, shown: number, total: number): string {
  return shown === total ? `${what} (${total})` : `${what} (${shown} of ${total})`;
}

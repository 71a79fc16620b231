import { validate as isJobAlert } from "../../../generated/job-alert-validator.js";
import { parseJson } from "../../../json.ts";
import { originIn } from "../../../service/http/server-address.ts";
import { parseInstant } from "../../../service/instants.ts";
import { followedAlert, isAbout, isAlert, type Standing } from "../../../runtime/job-alert.ts";
import type { JobAlert } from "../../../runtime/protocol.ts";
import { named } from "../../../text.ts";
import { FailedRun } from "./failures.ts";
import type { Property } from "./n8n.ts";
import type { OperationRun } from "./operations.ts";

/** An alert and its standing, for each input item. */
export const FOLLOWED: readonly Property[] = [
  {
    displayName: "Alert",
    name: "alert",
    type: "json",
    required: true,
    default: "",
    placeholder: "={{ $json.alert }}",
    description:
      "An alert of Get New Findings. Pass one item for each alert that is open, or was closed in the last 30 days.",
  },
  {
    displayName: "Status",
    name: "status",
    type: "string",
    default: "",
    placeholder: "={{ $json.status }}",
    description: "The words open or closed. Empty counts as open.",
  },
  {
    displayName: "Closed By",
    name: "closedBy",
    type: "string",
    default: "",
    placeholder: "={{ $json.closed_by }}",
    description:
      "Who closed the alert last: the field closedBy of an earlier change, as your workflow has stored it. Anything but job counts as a person.",
  },
  {
    displayName: "Closed At",
    name: "closedAt",
    type: "string",
    default: "",
    placeholder: "={{ $json.closed_at }}",
    description: "When it was closed last: the field closedAt of an earlier change",
  },
  {
    displayName: "Reopened By",
    name: "reopenedBy",
    type: "string",
    default: "",
    placeholder: "={{ $json.reopened_by }}",
    description: "Who opened it again: the field reopenedBy of an earlier change. Anything but job counts as a person.",
  },
];

/** The alerts of the input items. */
export interface FollowedAlerts {
  /** By id, with the index of the first input item about it. */
  readonly alerts: ReadonlyMap<string, { readonly alert: JobAlert; readonly item: number }>;
  /** How many are about another tenant, and were left out. */
  readonly foreign: number;
}

/**
 * Reads the alerts of all input items. A table without unique keys may have an alert in two rows: it counts once.
 *
 * @throws FailedRun that names the item which cannot be used
 */
export function followedAlerts({ instance, parameter, items: length }: OperationRun): FollowedAlerts {
  const tenant = originIn(instance["Server"]);
  const alerts = new Map<string, { alert: JobAlert; item: number }>();
  let foreign = 0;
  for (let item = 0; item < length; item += 1) {
    const { alert, isForeign } = alertOf((name) => parameter(name, item), item, tenant);
    const known = alerts.get(alert.alertId);
    if (isForeign) foreign += 1;
    else if (known === undefined) alerts.set(alert.alertId, { alert, item });
    else if (!isSame(known.alert, alert)) {
      throw refusal(
        item,
        `Two items are about the alert ${named(alert.alertId)}, and differ in Status, Closed By, Closed At or Reopened By.`,
        "Delete the row that is wrong.",
      );
    }
  }
  return { alerts, foreign };
}

function alertOf(
  read: (name: string) => unknown,
  item: number,
  tenant: string | null,
): { alert: JobAlert; isForeign: boolean } {
  const given = read("alert");
  const whole = typeof given === "string" ? parseJson(given) : given;
  if (isAlert(whole)) {
    const alert = { ...followedAlert(whole), ...standingOf(read, item) };
    if (isJobAlert(alert)) return { alert, isForeign: tenant !== null && !isAbout(whole, tenant) };
  }
  throw refusal(item, 'Parameter "Alert" is not an alert.', "Pass an alert as Get New Findings returned it.");
}

function refusal(item: number, problem: string, remedy: string): FailedRun {
  return new FailedRun(`${problem} No alert was judged. ${remedy}`, undefined, item);
}

function standingOf(read: (name: string) => unknown, item: number): Standing {
  const status = textOf(read("status")) || "open";
  if (status !== "open" && status !== "closed") {
    throw refusal(item, `Parameter "Status" is ${named(status)}.`, "Pass open or closed, or leave it empty for open.");
  }
  const at = read("closedAt");
  const closedAt = instantOf(at);
  if (closedAt !== null && !isTime(closedAt)) {
    throw refusal(
      item,
      `Parameter "Closed At" is ${named(textOf(at))}, which is not a time.`,
      "Pass the field closedAt of the change that closed the alert.",
    );
  }
  const reopenedBy = actorOf(read("reopenedBy"));
  const closedBy = actorOf(read("closedBy"));
  if (status === "open") return { status, closedBy, closedAt, reopenedBy };
  // A close of the job empties Reopened By. So whoever closed the alert after it was opened again was a person.
  return { status, closedBy: reopenedBy === null ? (closedBy ?? "person") : "person", closedAt, reopenedBy: null };
}

function actorOf(given: unknown): "job" | "person" | null {
  const text = textOf(given);
  if (text === "") return null;
  return text === "job" ? "job" : "person";
}

/** Epoch milliseconds of a time as text, number or object; null for none, NaN for what is no time. */
function instantOf(given: unknown): number | null {
  const text = textOf(given);
  if (text === "") return null;
  if (typeof given === "string") return /^\d+$/.test(text) ? Number(text) : (parseInstant(text) ?? NaN);
  // A Date, or a DateTime of an expression, has its milliseconds as its value.
  const value: unknown = (given as object).valueOf();
  return typeof value === "number" ? value : NaN;
}

/** Whether a Date can be made of it: whole milliseconds, within the range of Date. */
function isTime(epochMs: number): boolean {
  return Number.isInteger(epochMs) && !Number.isNaN(new Date(epochMs).getTime());
}

function textOf(given: unknown): string {
  if (given === undefined || given === null) return "";
  return (typeof given === "string" ? given : JSON.stringify(given)).trim().toLowerCase();
}

function isSame(one: Standing, other: Standing): boolean {
  const names = ["status", "closedBy", "closedAt", "reopenedBy"] as const;
  return names.every((name) => one[name] === other[name]);
}

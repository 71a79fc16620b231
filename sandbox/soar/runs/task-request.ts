import type { Project } from "../../../src/manifest/project.ts";
import type { ConnectorRequest, ConnectorRun, JobRequest, RunBase } from "../../../src/runtime/protocol.ts";
import type { AlertStore } from "../cases/alert-store.ts";
import { ChangeIntake, followedAlerts } from "../cases/follow-up.ts";
import { groupingOf, Intake, type Receiver } from "../cases/intake.ts";
import type { Clock } from "../../../src/clock.ts";
import type { Database } from "../database.ts";

interface TaskRun {
  kind: "connector" | "job";
  shared: Pick<JobRequest, "protocol" | "name" | "parameters" | "state">;
  run: RunBase;
  /** Id of the connector or the job. */
  connectorId: string;
  /** Of a connector. */
  limits: Pick<ConnectorRun, "maxAlerts" | "maxEventsPerAlert">;
  project: Project;
}

/** The request of a run of a connector or a job, and what takes what the run delivers or asks for. */
export function taskRequest(
  parts: { db: Database; alerts: AlertStore; clock: Clock },
  { kind, shared, run, connectorId, limits, project }: TaskRun,
): { request: ConnectorRequest | JobRequest; intake: Receiver } {
  const target = { id: run.id, connectorId, name: shared.name, test: run.test };
  if (kind === "job") {
    const alerts = followedAlerts(parts, String(shared.parameters["Server"]), parts.clock.now());
    return { request: { ...shared, kind, run, alerts }, intake: new ChangeIntake(parts, target) };
  }
  const { maxAlerts, maxEventsPerAlert } = limits;
  const limited: ConnectorRun = {
    ...run,
    ...(maxAlerts !== undefined && { maxAlerts }),
    ...(maxEventsPerAlert !== undefined && { maxEventsPerAlert }),
  };
  return {
    request: { ...shared, kind, run: limited },
    intake: new Intake(parts.alerts, target, groupingOf(project, shared.name)),
  };
}

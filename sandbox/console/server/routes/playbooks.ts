import { flag, KEY, object } from "../input.ts";
import type { Parts } from "../parts.ts";
import type { Routes } from "../routing.ts";

type Endpoints =
  | "GET /playbooks"
  | "PUT /playbooks/:name/enabled"
  | "POST /playbooks/:name/runs"
  | "GET /playbook-runs/:id";

export function playbookRoutes({ host: { playbooks, playbookRuns } }: Parts): Routes<Endpoints> {
  return {
    "GET /playbooks": { answer: () => playbooks.list() },
    "PUT /playbooks/:name/enabled": {
      body: object({ enabled: flag }),
      answer: ({ path, body }) => playbooks.enable(path.name, body.enabled),
    },
    "POST /playbooks/:name/runs": {
      body: object({ alertKey: KEY }),
      answer: ({ path, body }) => playbooks.start(path.name, body.alertKey),
    },
    "GET /playbook-runs/:id": { answer: ({ path }) => playbookRuns.view(path.id) },
  };
}

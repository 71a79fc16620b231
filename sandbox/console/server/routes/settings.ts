import type { SettingsInput } from "../../contract/index.ts";
import { flag, json, object, optional, text } from "../input.ts";
import type { Parts } from "../parts.ts";
import type { Routes } from "../routing.ts";

type Endpoints =
  | "GET /instances"
  | "POST /instances"
  | "PUT /instances/:id"
  | "DELETE /instances/:id"
  | "POST /instances/:id/test"
  | "GET /connectors"
  | "POST /connectors"
  | "PUT /connectors/:id"
  | "DELETE /connectors/:id"
  | "PUT /connectors/:id/enabled"
  | "POST /connectors/:id/run"
  | "GET /connectors/:id/state"
  | "DELETE /connectors/:id/state";

const settings = object<SettingsInput>({
  integration: text,
  name: text,
  parameters: json,
  connector: optional(text),
  instance: optional(text),
});

/** Instances and connectors. */
export function settingsRoutes({ host }: Parts): Routes<Endpoints> {
  const { instances, connectors } = host;
  return {
    "GET /instances": { answer: () => instances.list() },
    "POST /instances": { body: settings, answer: ({ body }) => instances.add(body) },
    "PUT /instances/:id": { body: settings, answer: ({ path, body }) => instances.change(path.id, body) },
    "DELETE /instances/:id": {
      answer: ({ path }) => {
        instances.remove(path.id);
        return null;
      },
    },
    "POST /instances/:id/test": { answer: ({ path }) => host.testInstance(path.id) },
    "GET /connectors": { answer: () => connectors.list() },
    "POST /connectors": { body: settings, answer: ({ body }) => connectors.add(body) },
    "PUT /connectors/:id": { body: settings, answer: ({ path, body }) => connectors.change(path.id, body) },
    "DELETE /connectors/:id": {
      answer: ({ path }) => {
        connectors.remove(path.id);
        return null;
      },
    },
    "PUT /connectors/:id/enabled": {
      body: object({ enabled: flag }),
      answer: ({ path, body }) => connectors.enable(path.id, body.enabled),
    },
    "POST /connectors/:id/run": {
      body: object({ test: flag }),
      answer: ({ path, body }) => host.startConnector(path.id, body),
    },
    "GET /connectors/:id/state": { answer: ({ path }) => connectors.state(path.id) },
    "DELETE /connectors/:id/state": {
      answer: ({ path }) => {
        connectors.resetState(path.id);
        return null;
      },
    },
  };
}

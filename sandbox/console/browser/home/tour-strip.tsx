import type { JSX } from "preact";
import type { ConnectorView, InstanceView, Tour } from "../../contract/index.ts";
import { call } from "../api.ts";
import { overview, refreshOverview } from "../overview.ts";
import { Button, useTask } from "../parts/button.tsx";
import { Icon } from "../parts/icon.tsx";
import { failed } from "../toast.ts";
import { go } from "../router.ts";
import { caseUrl, connectorUrl, runUrl } from "../urls.ts";

interface Step {
  key: keyof Tour;
  title: string;
  text: string;
  button: string;
  act: () => Promise<void>;
}

/**
 * Each step is one press: what it needs is filled in from the simulated tenant where there is one. It asks the host, since
 * the lists on the page may not be loaded yet, or be older than the step before.
 */
const steps: readonly Step[] = [
  {
    key: "installed",
    title: "Install the package",
    text: "The built zip is checked, then added to this host.",
    button: "Install",
    act: installBuilt,
  },
  {
    key: "connected",
    title: "Connect to a tenant",
    text: "An instance holds address and token; Ping tests them.",
    button: "Connect",
    act: connect,
  },
  {
    key: "polled",
    title: "Poll the findings",
    text: "A connector turns findings into alerts and cases.",
    button: "Poll",
    act: poll,
  },
  {
    key: "openedCase",
    title: "Open a case",
    text: "See who can attack what, and how to remediate it.",
    button: "Open",
    act: async () => {
      const id = await firstCase();
      go(id === null ? "/cases" : caseUrl(id));
    },
  },
  {
    key: "drewPath",
    title: "Draw an attack path",
    text: "Does Path Exist shows it hop by hop.",
    button: "Draw",
    act: draw,
  },
];

async function installBuilt(): Promise<void> {
  const { built } = await call("GET /packages");
  const newest = built.toSorted((one, other) => other.builtAt - one.builtAt)[0];
  if (newest === undefined) go("/marketplace");
  else await call("POST /packages", { query: { built: newest.file }, body: null });
}

async function connect(): Promise<void> {
  const known = overview.value;
  const integration = known?.integrations[0];
  const suggested = known?.suggestedInstance ?? null;
  if (integration === undefined || suggested === null) {
    go("/instances?new=instance");
    return;
  }
  const instances = await call("GET /instances");
  const existing = instances.find(({ parameters }) => parameters["Server"] === suggested.Server);
  const body = { integration: integration.identifier, name: integration.name, parameters: { ...suggested } };
  const { id } = existing ?? (await call("POST /instances", { body }));
  const outcome = await call("POST /instances/:id/test", { path: { id } });
  if (!outcome.ok) failed(new Error(outcome.message));
}

async function poll(): Promise<void> {
  const [{ integrations }, [instance], [existing]] = await Promise.all([
    call("GET /packages"),
    call("GET /instances"),
    call("GET /connectors"),
  ]);
  const declared = integrations.find(({ identifier }) => identifier === instance?.integration)?.manifest.connectors[0];
  const id = existing?.id ?? (await connectorOf(instance, declared?.name))?.id;
  if (id === undefined) {
    go("/connectors?new=connector");
    return;
  }
  await call("POST /connectors/:id/run", { path: { id }, body: { test: false } });
  go(`${connectorUrl(id)}?tab=runs`);
}

async function connectorOf(
  instance: InstanceView | undefined,
  name: string | undefined,
): Promise<ConnectorView | null> {
  if (instance === undefined || name === undefined) return null;
  const { id, integration } = instance;
  return call("POST /connectors", { body: { integration, name, connector: name, parameters: {}, instance: id } });
}

async function firstCase(): Promise<number | null> {
  const { rows } = await call("GET /cases", { query: { status: "open", limit: 1 } });
  return rows[0]?.id ?? null;
}

/** Asks Does Path Exist about the path that is worth drawing, or else about the findings of the worst alert that has a path. */
async function draw(): Promise<void> {
  const path = await call("GET /tour/path");
  const caseId = path?.caseId ?? (await firstCase());
  if (caseId === null) {
    go("/cases");
    return;
  }
  const { instance } = await call("GET /cases/:id", { path: { id: String(caseId) } });
  if (instance === null) {
    go(caseUrl(caseId));
    return;
  }
  const action = { instanceId: instance.id, action: "Does Path Exist", caseId };
  const found = path ?? (await call("GET /cases/:id/findings", { path: { id: String(caseId) } }));
  if (found === null) {
    go(caseUrl(caseId));
    return;
  }
  const body =
    "start" in found
      ? { ...action, parameters: { "Start Node": found.start, "End Node": found.end } }
      : { ...action, parameters: {}, alertKey: found.alertKey };
  go(runUrl((await call("POST /actions", { body })).runId));
}

/** Leads a newcomer from the package to a drawn path; gone once that was done. */
export function TourStrip({ tour }: { tour: Tour }): JSX.Element | null {
  const next = steps.find(({ key }) => !tour[key]);
  const act = useTask(async (step: Step) => {
    await step.act();
    await refreshOverview();
  });
  if (next === undefined) return null;
  const done = steps.filter(({ key }) => tour[key]).length;
  return (
    <section class="tour" aria-label="Tour">
      <header>
        <h2>From the package to a drawn attack path in five clicks</h2>
        <span class="muted small">
          {done} of {steps.length} done
        </span>
      </header>
      <ol>
        {steps.map((step, index) => {
          const isDone = tour[step.key];
          return (
            <li
              key={step.key}
              class={isDone ? "done" : step === next ? "next" : undefined}
              aria-current={step === next ? "step" : undefined}
            >
              <span class="tour-mark" aria-hidden="true">
                {isDone ? <Icon name="check" size={14} /> : index + 1}
              </span>
              <div>
                <p class="tour-title">
                  {step.title}
                  {isDone && <span class="unseen"> (done)</span>}
                </p>
                <p class="muted small">{step.text}</p>
                {step === next && (
                  <Button
                    size="small"
                    look="primary"
                    isBusy={act.isBusy}
                    onPress={() => {
                      act.run(step);
                    }}
                  >
                    {step.button}
                  </Button>
                )}
              </div>
            </li>
          );
        })}
      </ol>
    </section>
  );
}

import { afterAll, beforeAll, describe, expect, it } from "@jest/globals";
import { join } from "node:path";
import type { CaseView, PlaybookRunView, RunView } from "../../../../sandbox/console/contract/index.ts";
import { openHost, type Host } from "../../../../sandbox/soar/index.ts";
import type { FindingOverrides, Tenant } from "../../../../sandbox/tenant/index.ts";
import type { GraphNode } from "../../../../sandbox/tenant/graph/graph.ts";
import { isTraversable } from "../../../../sandbox/tenant/graph/kinds.ts";
import type { ActionResult } from "../../../../src/manifest/types.ts";
import { builtPackage } from "../../../support/package.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { startTenant } from "../../../support/tenant.ts";

const integration = "attack_path_analysis";
/** The limit of the service: a step that follows another at once is refused, and waits. */
const PER_SECOND = 55;
const MANY = 500;

let host: Host;
let tenant: Tenant;
let environment: { id: string; name: string };

/** A host on a tenant that takes so many requests a second. */
async function begin(perSecond: number): Promise<void> {
  tenant = await startTenant({ rateLimit: { perSecond } });
  environment = tenant.data.environments[0]!;
  host = openHost({ data: join(temporaryFolder(), "host") });
  await host.install((await builtPackage()).zip);
  const parameters = { Server: tenant.url, "Token ID": tenant.tokenId, "Token Key": tenant.tokenKey };
  host.instances.add({ integration, name: "Tenant", parameters });
}

interface Triage {
  run: PlaybookRunView;
  /** The runs of actions, by step. */
  runs: Map<string, RunView>;
  view: CaseView;
}

/** Polls one finding type into a case of its own, and brings the playbook to its end on the alert. */
async function triage(findingType: string): Promise<Triage> {
  const parameters = {
    ...{ Server: tenant.url, "Token ID": tenant.tokenId, "Token Key": tenant.tokenKey },
    ...{ "Selected Environments": environment.name, "Selected Finding Types": findingType },
  };
  for (const { id } of host.cases.list().rows) host.cases.change(id, { status: "closed" }, "Kim");
  const { id } = host.connectors.add({ integration, name: findingType, parameters });
  const { alertList } = host.runView((await host.runConnector(id)).runId);
  expect(alertList).toHaveLength(1);
  const started = await host.playbooks.start("Attack Path Triage", alertList[0]!.key);
  await host.playbooks.idle();
  const run = host.playbookRuns.view(started.id);
  const runs = run.steps.flatMap(({ name, runId }): [string, RunView][] =>
    runId === null ? [] : [[name, host.runView(runId)]],
  );
  return { run, runs: new Map(runs), view: host.cases.view(run.caseId) };
}

const done = ({ run }: Triage): string[] => run.steps.filter(({ status }) => status === "done").map(({ name }) => name);

/** Gives a finding type of relationships exactly these findings. */
function replaceFindings(findingType: string, findings: FindingOverrides[]): void {
  const table = tenant.data.findings(environment.id, findingType)!;
  const all = table.query({ filters: [], sort: [], unsorted: "id", skip: 0, limit: Number.MAX_SAFE_INTEGER });
  for (const { id } of all.findings) tenant.control.removeFinding(environment.id, findingType, id);
  tenant.control.addFindings(environment.id, findingType, findings);
}

function finding(from: GraphNode, to: GraphNode, others: FindingOverrides): FindingOverrides {
  const [FromPrincipalProps, ToPrincipalProps] = [{ name: from.name }, { name: to.name }];
  return { FromPrincipal: from.objectId, FromPrincipalProps, ToPrincipal: to.objectId, ToPrincipalProps, ...others };
}

/** An object of another environment that nothing leads to. */
function unreachable(): GraphNode {
  const { graph } = tenant.data;
  const elsewhere = [...graph.nodes].filter(({ environmentId }) => environmentId !== environment.id);
  return elsewhere.find(({ objectId }) => graph.incoming(objectId).length === 0)!;
}

/** Everything that leads to an object over relationships that give control, or is joined with it by any relationship. */
function startsTo(end: GraphNode): Set<string> {
  const { graph } = tenant.data;
  const reached = new Set([end.objectId]);
  for (const objectId of reached)
    for (const { from, kind } of graph.incoming(objectId)) if (isTraversable(kind)) reached.add(from);
  return new Set([...reached, ...graph.incoming(end.objectId).map(({ from }) => from)]);
}

describe("the playbook Attack Path Triage on an alert of 500 findings", () => {
  beforeAll(() => begin(PER_SECOND));
  afterAll(() => host.close());

  let result: Triage;
  let open: string[];
  beforeAll(async () => {
    const nodes = tenant.data.nodesOf(environment.id);
    const admins = nodes.find(({ name }) => name === `DOMAIN ADMINS@${environment.name}`)!;
    const starts = [...tenant.data.graph.nodes]
      .filter((node) => node !== admins && node !== unreachable())
      .slice(0, MANY / 2);
    const openStarts = (): string[] => {
      const ending = startsTo(admins);
      return starts.map(({ objectId }) => objectId).filter((objectId) => ending.has(objectId));
    };
    const [accepted, worst] = openStarts();
    const ofAdmins = starts.map((start) =>
      finding(start, admins, {
        Severity: start.objectId === accepted ? "critical" : start.objectId === worst ? "high" : "moderate",
        Accepted: start.objectId === accepted,
      }),
    );
    const closed = starts.map((start) => finding(start, unreachable(), { Severity: "critical", Accepted: false }));
    replaceFindings("T0WriteDACL", [...ofAdmins, ...closed]);
    // Each new finding is a new relationship, too.
    open = openStarts();
    result = await triage("T0WriteDACL");
  }, 300_000);

  it("checks all findings in one step, tags the case, and follows the worst open path", () => {
    expect(result.run.status).toBe("done");
    expect(done(result)).toEqual([
      "Form of the Findings",
      "Check Findings",
      "Report Paths",
      "State of the Paths",
      "Tag Open Path",
      "Describe Ends",
      "Worst Open Path",
      "Set High Priority",
    ]);
    expect(result.view).toMatchObject({ tags: ["attack-path-open"], severity: "critical", priority: 80 });
  });

  it("answers each finding as the graph of the tenant does, also what the rate limit refused at first", () => {
    const { summary, paths } = result.runs.get("Check Findings")!.json as ActionResult<"Does Path Exist">;
    expect(open.length).toBeGreaterThan(50);
    expect(summary).toMatchObject({ open: open.length, closed: MANY - open.length, unanswered: 0, worst: "high" });
    expect(paths).toHaveLength(MANY);
    expect(paths.filter(({ exists }) => exists).map(({ start }) => start.objectId)).toEqual(open);
    // Runs that follow one another within a second share its limit: what is refused then is asked for again.
    expect(tenant.requests.filter(({ status }) => status === 429).length).toBeLessThan(MANY / 10);
  });

  it("lists the open and the closed paths in a comment, and describes the ends of the worst", () => {
    const [comment] = result.view.comments;
    expect(comment!.text).toContain(`Open: ${open.length}\n- `);
    expect(comment!.text).toContain(`Closed: ${MANY - open.length}\n- `);
    expect(comment!.text.split("\n")[1]).toMatch(/, high$/);
    const { assets } = result.runs.get("Describe Ends")!.json as ActionResult<"Fetch Assets">;
    expect(assets).toHaveLength(50);
    expect(assets.map(({ objectId }) => objectId)).toContain(open[1]);
    expect(new Set(assets.map(({ status }) => status))).toEqual(new Set(["found"]));
  });

  it("shows tables of bounded length, and an insight, beside the JSON result", () => {
    const { tables, insight } = result.runs.get("Check Findings")!;
    expect(tables.map(({ title, rows }) => [title, rows.length])).toEqual([
      ["Checked Paths", 200],
      ["Hops", expect.any(Number)],
    ]);
    expect(tables[0]!.note).toBe("300 of 500 rows are left out here. The JSON result has them.");
    expect(insight).toMatchObject({ title: "Attack path to Tier Zero", severity: "critical" });
  });
});

describe("the playbook Attack Path Triage", () => {
  // Several runs in one second would be refused by the limit of the other tenant.
  beforeAll(() => begin(1_000));
  afterAll(() => host.close());

  it("reports paths that are all closed, and leaves the priority as it is", async () => {
    const starts = tenant.data.nodesOf(environment.id).slice(0, 3);
    replaceFindings(
      "T0WriteOwner",
      starts.map((start) => finding(start, unreachable(), { Severity: "high", Accepted: false })),
    );
    const result = await triage("T0WriteOwner");
    expect(done(result)).toEqual([
      "Form of the Findings",
      "Check Findings",
      "Report Paths",
      "State of the Paths",
      "Tag Closed Path",
    ]);
    expect(result.view).toMatchObject({ tags: ["attack-path-closed"], priority: 80 });
    expect(result.view.comments[0]!.text).toMatch(/^Closed: 3\n(- .+ to .+\n?){3}$/);
  });

  it("describes the exposed objects of an alert whose findings have no source", async () => {
    const result = await triage("Kerberoasting");
    expect(done(result)).toEqual(["Form of the Findings", "Describe Exposed Objects"]);
    const { assets } = result.runs.get("Describe Exposed Objects")!.json as ActionResult<"Fetch Assets">;
    expect(assets.length).toBe(result.view.alertList[0]!.events);
  });
});

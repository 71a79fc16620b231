import { beforeAll, expect, it } from "@jest/globals";
import { join } from "node:path";
import Libsql from "libsql";
import type { Download, Page, Request } from "playwright-core";
import type { RunRow } from "../../../../sandbox/console/contract/index.ts";
import type { ActionResult } from "../../../../src/manifest/types.ts";
import { HOST_FILES, type Host } from "../../../../sandbox/soar/index.ts";
import type { Store } from "../../../../sandbox/soar/store.ts";
import { prepareHost } from "../../../../sandbox/console/prepare.ts";
import { accessibilityProblems, held, inBrowser, overflow, settled, visit } from "./browser.ts";

/** Stores a run of Does Path Exist whose path has so many objects, with so many ways over its second hop; tells its id. */
function storedPath(host: Host, objects: number, ways: number): string {
  const id = `path-${objects}-${ways}`;
  const object = (name: string) => ({ objectId: name, name: `${name}@CORP.HALDEN.TEST`, kind: "Group" });
  const hops = Array.from({ length: objects - 1 }, (_, index) => ({
    from: object(`G${index}`),
    relation: "GenericWrite",
    to: object(`G${index + 1}`),
  }));
  const beside = [
    { hop: 2, from: object("G1"), relation: "Owns", to: object("OTHER") },
    { hop: 3, from: object("OTHER"), relation: "MemberOf", to: object("G3") },
  ];
  const end = object(`G${objects - 1}`);
  const path = { exists: true, status: "open", start: object("G0"), end, length: objects - 1, hops };
  const alternatives = ways === 1 ? [] : beside;
  const json = { exists: true, paths: [{ ...path, alternatives, truncated: false, tierZero: [end.objectId] }] };
  const [{ id: ownerId, name: owner, packageId }] = host.store.instances() as [ReturnType<Store["instance"]>];
  const run = {
    id,
    kind: "action",
    name: "Does Path Exist",
    ownerId,
    owner,
    packageId,
    test: false,
    by: "Test",
  } as const;
  host.records.begin({ ...run, caseId: null, alertKey: null, request: null }, 1);
  const left = { sample: [], stateChanges: [], stateChangesLeft: 0, requestsLeft: 0 };
  const outcome = { value: true, json, tables: [], insight: null, ...left };
  host.records.end(id, { status: "completed", message: "An attack path exists.", outcome }, 2);
  return id;
}

interface DrawnPath {
  look: "graph" | "widget";
  /** Whether the whole box of the target is inside the frame. */
  target: boolean;
  /** In pixels on the screen. */
  smallestText: number;
  drawings: number;
}

/** The title follows what the page shows. */
async function titled(page: Page, beginning: string): Promise<void> {
  await page.waitForFunction(`document.title.startsWith(${JSON.stringify(beginning)})`);
}

/** What is drawn on the page of a run, once it is there. */
async function drawnPath(page: Page): Promise<DrawnPath> {
  await page.locator(".graph-drawing, iframe[style*=height]").first().waitFor();
  const drawings = await page.locator(".graph-drawing, .widget-frame").count();
  const isGraph = (await page.locator(".graph-drawing").count()) === 1;
  const widget = page.locator(".widget-frame").contentFrame();
  const target = isGraph ? page.locator(".graph-node.tier-zero") : widget.locator(".node.tier-zero");
  const box = (await target.boundingBox())!;
  const frame = (await page.locator(isGraph ? ".graph-scroll" : ".widget-frame").boundingBox())!;
  const drawing = isGraph ? page.locator(".graph-drawing") : widget.locator("body");
  const smallestText = await drawing.evaluate<number, undefined>(SMALLEST_TEXT, undefined);
  const isInside =
    box.x >= frame.x &&
    box.y >= frame.y &&
    box.x + box.width <= frame.x + frame.width &&
    box.y + box.height <= frame.y + frame.height;
  return { look: isGraph ? "graph" : "widget", target: isInside, smallestText, drawings };
}

/** The smallest text in an element, in pixels on the screen. The tests are compiled without the types of a browser. */
const SMALLEST_TEXT = `(root) => {
  const scale = root.viewBox === undefined ? 1 : root.getBoundingClientRect().width / root.viewBox.baseVal.width;
  const hasText = (element) => [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== "");
  const texts = [...root.querySelectorAll("*")].filter((element) => hasText(element) && element.getClientRects().length > 0);
  return Math.min(...texts.map((element) => parseFloat(getComputedStyle(element).fontSize) * scale));
}`;

inBrowser("investigating in a browser", (suite) => {
  beforeAll(async () => {
    const { console: started } = suite;
    const { url, tokenId, tokenKey } = started.simulation.tenant;
    const instance = { Server: url, "Token ID": tokenId, "Token Key": tokenKey };
    await prepareHost(started.host, { archive: started.zip, name: "Simulated tenant", instance, fields: {} });
    await addOlderInstance();
    const [connector] = await started.call("GET /connectors");
    await started.call("POST /connectors/:id/run", { path: { id: connector!.id }, body: { test: false } });
    const { page } = await suite.open("/runs?kind=connector");
    await page.getByRole("cell", { name: "Completed" }).waitFor();
  });

  /** Another tenant's, which is no use for the cases. */
  async function addOlderInstance(): Promise<void> {
    const parameters = { Server: "http://127.0.0.1:9", "Token ID": "other", "Token Key": "other-key" };
    const body = { integration: "attack_path_analysis", name: "Other tenant", parameters };
    const { id } = await suite.console.call("POST /instances", { body });
    const database = new Libsql(join(suite.console.data, HOST_FILES.database));
    database.prepare("UPDATE instances SET created_at = 0 WHERE id = ?").run([id]);
    database.close();
  }

  it("a drawn path is walked along by keyboard, and exported", async () => {
    const { page, complaints } = await suite.open(`/runs/${storedPath(suite.console.host, 4, 2)}`);
    const nodes = page.locator("[data-node]");
    const before = await nodes.first().boundingBox();
    await nodes.first().focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("Enter");
    await page.getByText("Reached by:").waitFor();
    expect(await nodes.nth(1).getAttribute("aria-pressed")).toBe("true");
    expect(await nodes.first().boundingBox()).toEqual(before);

    const files: Download[] = [];
    for (const type of ["SVG", "PNG"]) {
      const [file] = await Promise.all([
        page.waitForEvent("download"),
        page.getByRole("button", { name: `Export as ${type}` }).click(),
      ]);
      files.push(file);
    }
    expect(files.map((file) => file.suggestedFilename().split(".").at(-1))).toEqual(["svg", "png"]);
    expect(complaints).toEqual([]);
  });

  it.each<[objects: number, graphs: string[]]>([
    [5, ["768", "1280", "1920"]],
    [20, []],
    [60, []],
  ])("a path of %i objects is drawn once, whole and readable on screens of any width", async (objects, graphs) => {
    const { page } = await suite.open("/");
    const seen = new Set<string>();
    const problems: string[] = [];
    for (const ways of [1, 2]) {
      const runId = storedPath(suite.console.host, objects, ways);
      for (const width of [360, 768, 1280, 1920]) {
        await page.setViewportSize({ width, height: 800 });
        await visit(page, `/runs/${runId}`);
        const { look, target, smallestText, drawings } = await drawnPath(page);
        const place = `${ways} ways, ${width} pixels: ${look}`;
        if (look === "graph") seen.add(String(width));
        if (!target) problems.push(`${place}: the target is outside of the frame`);
        if (smallestText < 11) problems.push(`${place}: text of ${smallestText} pixels`);
        if (drawings !== 1) problems.push(`${place}: ${drawings} drawings`);
        if ((await overflow(page)) > 0) problems.push(`${place}: too wide`);
      }
    }
    expect(problems).toEqual([]);
    expect([...seen]).toEqual(graphs);
    expect(await page.locator("details", { hasText: "JSON result" }).getAttribute("open")).toBeNull();
  });

  it("an event is a sentence, a drawn relationship and a remediation, and one click away from its drawn path", async () => {
    const { page, complaints } = await suite.open("/cases/1");
    await page.getByRole("columnheader", { name: "Exposure or impact" }).waitFor();
    await page.locator("td.main a", { hasText: "→" }).first().click();
    const drawer = page.getByRole("dialog");
    await drawer.getByText(/ on .*; (critical|high|moderate|low); first seen \d{4}-/).waitFor();
    await drawer.getByRole("figure", { name: "The relationship of this finding" }).waitFor();
    await drawer.getByRole("region", { name: "Remediation" }).locator("p").first().waitFor();
    await drawer.getByText("Source object ID").waitFor();
    await titled(page, "Case 1: ");
    expect(await drawer.getByRole("link", { name: /^http/ }).count()).toBe(0);
    await drawer.getByText(/^What \w+ means$/).click();
    await drawer.getByText("How its use is noticed").waitFor();
    const [alertKey, position] = new URL(page.url()).searchParams.get("event")!.split(".") as [string, string];
    await drawer.getByRole("button", { name: "Draw the whole path" }).click();
    const result = page.getByRole("dialog", { name: "Run action" });
    await result.locator(".graph-drawing, iframe[style*=height]").first().waitFor();
    expect(await result.locator(".notice.good").count()).toBe(0);
    expect(await result.locator(".widget-frame").contentFrame().getByText("Open in the service").count()).toBe(0);
    const { event } = await suite.console.call("GET /alerts/:key/events/:position", {
      path: { key: alertKey, position },
    });
    const [drawn] = (await suite.console.call("GET /runs", { query: { kind: "action", limit: 1 } })).rows;
    const { json } = await suite.console.call("GET /runs/:id", { path: { id: drawn!.id } });
    const { paths, summary } = json as unknown as ActionResult<"Does Path Exist">;
    expect(paths).toHaveLength(1);
    expect(summary.worst).toBe(event["severity"]);

    await result.getByText("Instance: Simulated tenant").waitFor();
    const started: string[] = [];
    const note = (request: Request): void => {
      if (request.method() === "POST") started.push(request.url());
    };
    page.on("request", note);
    await result.getByRole("button", { name: "Run another" }).click();
    await result.getByLabel("Action", { exact: true }).selectOption("Fetch Assets");
    await result.getByLabel("Instance", { exact: true }).selectOption("Other tenant");
    await result.getByRole("button", { name: "Run Fetch Assets" }).waitFor();
    await page.evaluate("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))");
    page.off("request", note);
    expect(started).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("a case says where to cut, and what the relationships to remove mean", async () => {
    const { page, complaints } = await suite.open("/cases/1");
    await page.getByRole("tab", { name: "Where to cut" }).click();
    const edges = page.getByRole("table", { name: "Relationships to remove" });
    await edges
      .getByRole("cell", { name: /at most \d+ of \d+ findings/ })
      .first()
      .waitFor();
    await page.getByText(/At most, because the service lists shortest paths only/).waitFor();
    await page
      .getByText(/^What \w+ means$/)
      .first()
      .click();
    await page.getByText("How it is removed safely", { exact: true }).first().waitFor();
    const release = await held(page, /of=environment/);
    await page.getByLabel("Findings").selectOption({ index: 1 });
    await edges.waitFor({ state: "detached" });
    release();
    await edges
      .getByRole("cell", { name: /at most \d+ of \d+ findings/ })
      .first()
      .waitFor();
    expect(complaints).toEqual([]);
  });

  it("a case shows the ways into Tier Zero of its own tenant, and says so when something is not known", async () => {
    const { control } = suite.console.simulation.tenant;
    const { page, complaints } = await suite.open("/cases/1?tab=tree");
    const panel = page.getByRole("tabpanel");
    await panel.getByText("Instance: Simulated tenant").waitFor();
    await panel.getByText(/^Objects that lead into Tier Zero/).waitFor();
    const unknown = panel.getByText("Not known.");
    control.fault({ path: "meta-trees", effect: { kind: "null-data" } });
    await visit(page, "/cases/1?tab=tree");
    await unknown.waitFor();
    control.clearFaults();

    const json = { findings: 0, isComplete: false, edges: [], objects: [], notes: ["Not looked at: 1 finding."] };
    await page.route(/cuts/, (route) => route.fulfill({ json }), { times: 1 });
    await visit(page, "/cases/1?tab=cuts");
    await unknown.waitFor();
    await panel.getByText("Not looked at: 1 finding.").waitFor();
    expect(complaints).toEqual([]);
  });

  it("the action of a case starts with what fits, offers alert, findings and objects, and says what it will ask", async () => {
    const { page } = await suite.open("/cases/1");
    await page.getByRole("button", { name: "Run action" }).click();
    const dialog = page.getByRole("dialog", { name: "Run action" });
    const run = dialog.getByRole("button", { name: "Run Does Path Exist" });
    await run.waitFor();
    await dialog.getByText(/^Asks whether \d+ paths? exists?: .+ → /).waitFor();
    const { alertKey, findings } = (await suite.console.call("GET /cases/:id/findings", {
      path: { id: "1" },
      query: {},
    }))!;
    expect(await dialog.getByLabel("Alert", { exact: true }).inputValue()).toBe(String(alertKey));
    const names = findings.flatMap(({ source, target }) => [source!.name, target!.name]);
    const offered = await dialog.getByLabel("Start", { exact: true }).locator("option").allTextContents();
    expect(offered.slice(1)).toEqual([...new Set(names)].sort());
    const { source, target } = findings[0]!;
    await dialog.getByLabel("Start", { exact: true }).selectOption(target!.name);
    await dialog.getByLabel("End", { exact: true }).selectOption(source!.name);
    await dialog.getByText(`Asks whether 1 path exists: ${target!.name} → ${source!.name}.`).waitFor();
    await run.press("Enter");
    await dialog.getByRole("button", { name: "Run another" }).waitFor();
    const [{ id }] = (await suite.console.call("GET /runs", { query: { kind: "action", limit: 1 } })).rows as [RunRow];
    const { request } = await suite.console.call("GET /runs/:id", { path: { id } });
    expect(request!["parameters"]).toEqual({ "Start Node": target!.id, "End Node": source!.id });
  });

  it("a request of a run opens to its full address, with headers and body of both sides and no secret", async () => {
    const { tokenKey, url } = suite.console.simulation.tenant;
    const [run] = (await suite.console.call("GET /runs", { query: { kind: "connector" } })).rows;
    const { page } = await suite.open(`/runs/${run!.id}`);
    await page.getByRole("button", { name: "GET /api/v2/available-domains" }).first().press("Enter");
    await titled(page, "Attack Path Findings, 2");
    await page.getByText(`GET ${url}/api/v2/available-domains`).waitFor();
    const [request, response] = ["Request", "Response"].map((name) => page.getByRole("region", { name }));
    await request!.getByText("[masked]").first().waitFor();
    await response!.getByText("application/json").waitFor();
    await response!.locator("pre", { hasText: "FJORD.TEST" }).waitFor();
    expect(await page.content()).not.toContain(tokenKey);
    await page.getByText(/requests waited .* for the rate limit, all together/).waitFor();
    await page.getByRole("tab", { name: /^State/ }).click();
    await page.getByText("packed").first().waitFor();
    const states = await page.locator(".changes ins").allTextContents();
    expect(states.some((text) => text.includes("A principal outside"))).toBe(true);
    expect(states.filter((text) => /[\w+/]{60}/.test(text))).toEqual([]);
  });

  it("a case is tagged, commented, given a priority, closed and reopened", async () => {
    const { page } = await suite.open("/cases/1");
    const tag = page.getByLabel("New tag");
    await tag.fill("reviewed");
    const full = { status: 507, json: { message: "The disk is full." } };
    await page.route("**/api/cases/1", (route) =>
      route.request().method() === "PATCH" ? route.fulfill(full) : route.fallback(),
    );
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByText("The disk is full.").waitFor();
    await page.unroute("**/api/cases/1");
    expect(await tag.inputValue()).toBe("reviewed");
    await page.getByRole("button", { name: "Add", exact: true }).click();
    await page.getByRole("button", { name: "Remove tag reviewed" }).waitFor();
    await page.getByLabel("Comment").fill("<b>Seen</b>");
    await page.getByRole("button", { name: "Add comment" }).click();
    await page.getByText("<b>Seen</b>", { exact: true }).first().waitFor();
    await page.getByLabel("Priority").selectOption("Informative");
    await page.getByText("The priority was changed.").waitFor();
    await page.getByRole("button", { name: "Close case" }).click();
    await page.getByRole("button", { name: "Reopen case" }).click();
    await page.getByRole("button", { name: "Close case" }).waitFor();
    await page.getByRole("tab", { name: "History" }).click();
    expect(await page.locator(".history li").count()).toBeGreaterThan(3);
  });

  it("the filter of the events says that it shows one alert, also when its list does not have that alert", async () => {
    const { page } = await suite.open("/cases/1?of=999999");
    const chosen = page.getByLabel("Alert", { exact: true }).locator("option:checked");
    expect(await chosen.textContent()).toBe("One alert");
  });

  it("a case with more comments than it lists shows a new one, and says what it leaves out", async () => {
    const database = new Libsql(join(suite.console.data, HOST_FILES.database));
    database.exec(`WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
      INSERT INTO case_notes (case_id, kind, by, at, text) SELECT 2, 'comment', 'Kim', i, 'Comment ' || i FROM n`);
    database.close();
    const { page } = await suite.open("/cases/2");
    await page.getByLabel("Comment").fill("The newest.");
    await page.getByRole("button", { name: "Add comment" }).click();
    await page.locator(".comments").getByText("The newest.").waitFor();
    await page.getByText("Showing the newest 500 of 501 comments.").waitFor();
  });

  it("a playbook is run from a case, and each step says what became of it", async () => {
    const { page } = await suite.open("/cases/1");
    await page.getByRole("button", { name: "Run playbook" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Run playbook" }).click();
    await page.getByText("Form of the Findings").waitFor();
    await page.locator(".about-line").getByText("Completed").waitFor();
    await titled(page, "Attack Path Triage, case 1 ");
    expect(await page.locator(".flow-step").count()).toBe(13);
    expect(await page.getByText("Not run").count()).toBeGreaterThan(0);
  });

  it.each([
    ["a case", ["alerts", "entities", "cuts", "remediation", "trends", "tree", "actions", "history"]],
    ["a run", ["requests", "log", "alerts", "state", "request"]],
  ])("every part of %s is accessible and fits a narrow screen", async (owner, parts) => {
    const viewport = { width: 360, height: 800 };
    const { page } = await suite.open("/", { viewport, withAxe: true });
    const [run] = (await suite.console.call("GET /runs", { query: { kind: "connector" } })).rows;
    const problems: string[] = [];
    for (const part of parts) {
      await visit(page, `${owner === "a case" ? "/cases/1" : `/runs/${run!.id}`}?tab=${part}`);
      await page.getByRole("tabpanel").waitFor();
      await settled(page);
      if ((await overflow(page)) > 0) problems.push(`${part} is too wide`);
      // Beside the tabs, the pages are looked at as a whole elsewhere.
      const found = await accessibilityProblems(page, "[role=tabpanel]");
      problems.push(...found.map((problem) => `${part} ${problem}`));
    }
    expect(problems).toEqual([]);
  });
});

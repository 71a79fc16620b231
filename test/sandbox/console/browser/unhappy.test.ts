import { beforeAll, expect, it } from "@jest/globals";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { prepareHost } from "../../../../sandbox/console/prepare.ts";
import { startConsole } from "../../../../sandbox/console/server/index.ts";
import { selfSignedCertificate } from "../../../../sandbox/tenant/index.ts";
import { packagedFiles } from "../../../support/light-package.ts";
import { builtPackage } from "../../../support/package.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { startTenant } from "../../../support/tenant.ts";
import { rawZip, zipOf } from "../../../support/zip.ts";
import { bundle, inBrowser, visit, type WholeConsole } from "./browser.ts";

inBrowser("when something goes wrong, the console", (suite) => {
  let started: WholeConsole;
  let files: Map<string, string>;
  const folder = temporaryFolder();

  beforeAll(async () => {
    started = suite.console;
    const { url, tokenId, tokenKey } = started.simulation.tenant;
    const instance = { Server: url, "Token ID": tokenId, "Token Key": tokenKey };
    await prepareHost(started.host, { archive: started.zip, name: "Lab", instance, fields: {} });
    const [connector] = await started.call("GET /connectors");
    await started.host.runConnector(connector!.id);
    files = await packagedFiles();
  });

  function written(name: string, content: Uint8Array): string {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  }

  async function upload(page: Page, path: string): Promise<void> {
    await page.getByLabel("choose a zip").first().setInputFiles(path);
  }

  /** The package that was built, with another version. */
  function versioned(version: string): string {
    const manifest = JSON.parse(files.get("integration.json")!) as object;
    return written(
      `${version}.zip`,
      zipOf(new Map(files).set("integration.json", JSON.stringify({ ...manifest, version }))),
    );
  }

  it("refuses a damaged, a foreign and a tampered zip, each with its reason", async () => {
    const zip = readFileSync(started.zip);
    const tampered = [...files].map(([name, content]) => ({ name, content: `${content} `, deflate: true }));
    const unpacked = (await builtPackage()).folder;
    tampered.push({ name: "SHA256SUMS", content: readFileSync(join(unpacked, "SHA256SUMS"), "utf8"), deflate: true });
    const refused: [path: string, reason: RegExp][] = [
      [written("damaged.zip", zip.subarray(0, zip.length / 2)), /not a zip archive, or it is damaged/],
      [written("foreign.zip", rawZip([{ name: "readme.txt", content: "Hello" }])), /SHA256SUMS|integration\.json/],
      [written("tampered.zip", rawZip(tampered)), /SHA256SUMS|checksum/],
    ];
    const { page } = await suite.open("/marketplace");
    const dialog = page.getByRole("dialog");
    for (const [path, reason] of refused) {
      await upload(page, path);
      await dialog.getByRole("alert").getByText(reason).waitFor();
      expect(await dialog.getByRole("button", { name: /Install|Upgrade/ }).count()).toBe(0);
      await page.keyboard.press("Escape");
      await dialog.waitFor({ state: "detached" });
    }
    expect((await started.call("GET /packages")).integrations[0]!.versions).toHaveLength(1);
  });

  it("says of each way in which a test fails what it is and what to do", async () => {
    const secured = await startTenant({ tls: selfSignedCertificate() });
    const { page } = await suite.open("/instances");
    const card = page.getByRole("article", { name: "Lab" });
    const { simulation } = started;
    const [lab] = await started.call("GET /instances");
    const { integration, name, parameters } = lab!;
    const pointTo = (Server: string) =>
      started.call("PUT /instances/:id", {
        path: { id: lab!.id },
        body: { integration, name, parameters: { ...parameters, Server } },
      });
    const ways: [title: string, hint: RegExp, begin: () => Promise<unknown>, end: () => Promise<unknown>][] = [
      [
        "Key rejected",
        /Token ID and Token Key again/,
        () => simulation.perform({ do: "inject", fault: { name: "wrong_key", path: "", times: null } }),
        () => simulation.perform({ do: "clear_faults" }),
      ],
      [
        "Clocks differ",
        /The key is not the problem/,
        () => simulation.perform({ do: "move_clock", aheadMs: 7_200_000 }),
        () => simulation.perform({ do: "move_clock", aheadMs: 0 }),
      ],
      [
        "Server not reached",
        /host and port of Server/,
        () => simulation.perform({ do: "go_away" }),
        () => simulation.perform({ do: "come_back" }),
      ],
      [
        "Certificate not trusted",
        /NODE_EXTRA_CA_CERTS/,
        () => pointTo(secured.url),
        () => pointTo(parameters["Server"] as string),
      ],
      [
        "Rate limit reached",
        /Wait a minute/,
        () => simulation.perform({ do: "inject", fault: { name: "rate_limit", path: "", times: null } }),
        () => simulation.perform({ do: "clear_faults" }),
      ],
    ];
    const drawings: string[] = [];
    for (const [title, hint, begin, end] of ways) {
      await begin();
      await page.getByRole("button", { name: "Test Lab" }).click();
      await card.getByRole("status").getByText(title, { exact: true }).waitFor();
      await card.locator(".notice-hint").getByText(hint).waitFor();
      drawings.push((await card.locator(".notice > .glyph path").getAttribute("d")) ?? "");
      await end();
    }
    expect(new Set(drawings).size).toBe(ways.length);
    await page.getByRole("button", { name: "Test Lab" }).click();
    await card.getByText("Successfully connected").waitFor();
  });

  it("stops a run that hangs, and says so", async () => {
    const [connector] = await started.call("GET /connectors");
    const { requests } = started.simulation.tenant;
    const before = requests.length;
    const [earlier] = (await started.call("GET /runs", { query: { kind: "connector" } })).rows;
    const { page } = await suite.open(`/runs/${earlier!.id}`);
    const rerun = page.getByRole("button", { name: "Rerun" });
    await rerun.and(page.locator("[title='Start it again with the same input']")).waitFor();
    await started.simulation.perform({ do: "inject", fault: { name: "hang", path: "", times: null } });
    const { runId } = await started.call("POST /connectors/:id/run", {
      path: { id: connector!.id },
      body: { test: false },
    });
    await rerun.and(page.locator("[title^='Another run of this connector is under way.']")).waitFor();
    await visit(page, `/runs/${runId}`);
    // A plugin that is still starting cannot say that it was stopped.
    while (requests.length === before) await page.evaluate("new Promise(requestAnimationFrame)");
    await page.getByRole("button", { name: "Stop" }).click();
    await rerun.waitFor();
    await page.locator(".about-line").getByText("Stopped", { exact: true }).waitFor();
    await page
      .locator(".notice")
      .getByText(/stopped|interrupted/i)
      .waitFor();
    await started.simulation.perform({ do: "clear_faults" });
    const { streams } = await started.call("GET /connectors/:id/state", { path: { id: connector!.id } });
    expect(new Set(streams.map(({ unreadBecause }) => unreadBecause))).toEqual(
      new Set(["Not read: the run was stopped before it came to this."]),
    );
  });

  it("upgrades and rolls back, and keeps state, cases and instances", async () => {
    const [connector] = await started.call("GET /connectors");
    const path = { id: connector!.id };
    const before = await started.call("GET /connectors/:id/state", { path });
    const { page } = await suite.open("/marketplace");
    await upload(page, versioned("1.1.0"));
    const dialog = page.getByRole("dialog");
    await dialog.getByText("Connector state, cases and instances stay.").waitFor();
    await dialog.getByRole("button", { name: "Upgrade" }).click();
    const row = (version: string) => page.getByRole("row", { name: new RegExp(`^${version.replaceAll(".", "\\.")}`) });
    await row("1.1.0").getByText("In use").waitFor();
    await page.getByRole("button", { name: "Roll back: version 1.0.0" }).click();
    await row("1.0.0").getByText("In use").waitFor();

    const built = page.getByRole("table", { name: "Built packages" }).getByText("In use");
    await built.waitFor();
    await upload(page, versioned("1.0.0"));
    await dialog.getByText("Another build of the version in use.").waitFor();
    await dialog.getByRole("button", { name: "Install this build" }).click();
    await built.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Roll back: version 1.0.0" }).click();
    await built.waitFor();
    expect(before.streams.length).toBeGreaterThan(0);
    expect(await started.call("GET /connectors/:id/state", { path })).toEqual(before);
    expect((await started.call("GET /cases", { query: {} })).total).toBe(4);
    expect(await started.call("GET /instances")).toHaveLength(1);
  });

  it("leads from the number of cases to as many, open or closed", async () => {
    const setStatus = (status: "open" | "closed") =>
      started.call("PATCH /cases/:id", { path: { id: "1" }, body: { status } });
    await setStatus("closed");
    const { page } = await suite.open();
    await page.locator(".stat", { hasText: /Cases/ }).click();
    await page.getByText("4 of 4 cases").waitFor();
    await setStatus("open");
  });

  it("receives no events while it is hidden, and catches up when it is shown", async () => {
    const { page } = await suite.open("/cases/1?tab=trends");
    await page.locator(".trends li").first().waitFor();
    const turn = (isHidden: boolean) =>
      page.evaluate(
        `Object.defineProperty(document, "hidden", { value: ${isHidden}, configurable: true }); document.dispatchEvent(new Event("visibilitychange"));`,
      );
    const ended = page.waitForEvent("requestfailed", (request) => request.url().endsWith("/api/live"));
    await turn(true);
    await ended;
    const setStatus = (status: "open" | "closed") =>
      started.call("PATCH /cases/:id", { path: { id: "1" }, body: { status } });
    await setStatus("closed");
    const asked: string[] = [];
    const note = (request: { url: () => string }) => asked.push(new URL(request.url()).pathname);
    page.on("request", note);
    await turn(false);
    await page.getByRole("button", { name: "Reopen case" }).waitFor();
    // A question to the tenant is not asked again.
    page.off("request", note);
    expect(asked).toContain("/api/cases/1");
    expect(asked).not.toContain("/api/cases/1/trends");
    await setStatus("open");
    await page.getByRole("button", { name: "Close case" }).waitFor();
  });

  it("says that its server is gone, goes on by itself when it is back, and asks for the new URL", async () => {
    const second = { host: started.host, builds: folder, page: bundle, tourFile: join(folder, "tour.json") };
    const first = await startConsole(second);
    const { page } = await suite.open();
    await page.goto(first.url);
    await page.goto(`${first.origin}/cases`);
    await page.getByRole("table", { name: "Cases" }).waitFor();
    const port = Number(new URL(first.origin).port);
    // On a narrow screen, the menu is closed.
    await page.setViewportSize({ width: 360, height: 800 });
    await first.close();
    await page.getByText("Connection lost, retrying").waitFor();
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByLabel("Severity").selectOption("High");
    await page.getByText("The console's server does not respond.").waitFor();
    await page.getByRole("table", { name: "Cases" }).waitFor();
    const again = await startConsole({ ...second, port });
    await page.getByText("This page is not signed in.").waitFor();
    await page.goto(again.url);
    await page.getByText("Live", { exact: true }).waitFor();
    await again.close();
  });

  it("says what to do about a page that cannot be shown, and shows the others", async () => {
    const { page } = await suite.open("/connectors");
    await page.route("**/api/playbooks", (route) => route.fulfill({ json: [null] }));
    await page.getByRole("link", { name: "Playbooks" }).click();
    await page.getByText("This page could not be shown.").waitFor();
    await page.unroute("**/api/playbooks");
    await page.getByRole("button", { name: "Reload the page" }).click();
    await page.getByRole("heading", { name: "Attack Path Triage" }).waitFor();
  });

  it("says what an uninstall takes and what stays", async () => {
    const { page } = await suite.open("/marketplace");
    await page.getByRole("button", { name: "Uninstall" }).click();
    const dialog = page.getByRole("dialog");
    for (const text of ["Instance Lab", "Connector Attack Path Findings", "Playbook Attack Path Triage"])
      await dialog.getByText(text, { exact: true }).waitFor();
    await dialog.getByText(/^4 cases and \d+ runs stay/).waitFor();
    await dialog.getByRole("button", { name: "Uninstall" }).click();
    await page.getByText("Nothing is installed yet").waitFor();
    await page.goto(`${started.origin}/cases`);
    await page.getByText("4 of 4 cases").waitFor();
  });
});

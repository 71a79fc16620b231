import { beforeAll, expect, it } from "@jest/globals";
import type { Download, Page } from "playwright-core";
import { prepareHost } from "../../../../sandbox/console/prepare.ts";
import { accessibilityProblems, inBrowser, overflow, settled, visit } from "./browser.ts";

inBrowser("investigating in a browser", (suite) => {
  beforeAll(async () => {
    const { console: started } = suite;
    const { url, tokenId, tokenKey } = started.simulation.tenant;
    const instance = { Server: url, "Token ID": tokenId, "Token Key": tokenKey };
    await prepareHost(started.host, { archive: started.zip, name: "Simulated tenant", instance, fields: {} });
    const [connector] = await started.call("GET /connectors");
    await started.call("POST /connectors/:id/run", { path: { id: connector!.id }, body: { test: false } });
    const { page } = await suite.open("/runs?kind=connector");
    await page.getByRole("cell", { name: "Completed" }).waitFor();
  });

  /** Runs Does Path Exist on the first finding of a case that has two ends. */
  async function drawPath(page: Page): Promise<void> {
    await page.locator("td.main a", { hasText: "→" }).first().click();
    await page.getByRole("dialog").getByRole("button", { name: "Run action" }).click();
    const dialog = page.getByRole("dialog", { name: "Run action" });
    await dialog.getByRole("button", { name: "Run Does Path Exist" }).click();
    await dialog.locator("[data-node]").first().waitFor();
  }

  it("an attack path is drawn from a finding, walked along by keyboard, and exported", async () => {
    const { page, complaints } = await suite.open("/cases/1");
    await drawPath(page);
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

  it("a case is tagged, commented, given a priority, closed and reopened", async () => {
    const { page } = await suite.open("/cases/1");
    await page.getByLabel("New tag").fill("reviewed");
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

  it("a playbook is run from a case, and each step says what became of it", async () => {
    const { page } = await suite.open("/cases/1");
    await page.getByRole("button", { name: "Run playbook" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Run playbook" }).click();
    await page.getByText("Form of the Findings").waitFor();
    await page.locator(".about-line").getByText("Completed").waitFor();
    expect(await page.locator(".flow-step").count()).toBe(13);
    expect(await page.getByText("Not run").count()).toBeGreaterThan(0);
  });

  it("every part of a case and of a run is accessible and fits a narrow screen", async () => {
    const viewport = { width: 360, height: 800 };
    const { page } = await suite.open("/", { viewport, withAxe: true });
    const [run] = (await suite.console.call("GET /runs", { query: { kind: "connector" } })).rows;
    const parts = ["alerts", "entities", "remediation", "trends", "tree", "actions", "history"];
    const paths = parts.map((tab) => `/cases/1?tab=${tab}`);
    paths.push(...["requests", "log", "alerts", "state", "request"].map((tab) => `/runs/${run!.id}?tab=${tab}`));
    const problems: string[] = [];
    for (const path of paths) {
      await visit(page, path);
      await page.getByRole("tabpanel").waitFor();
      await settled(page);
      if ((await overflow(page)) > 0) problems.push(`${path} is too wide`);
      problems.push(...(await accessibilityProblems(page)).map((problem) => `${path} ${problem}`));
    }
    expect(problems).toEqual([]);
  });
});

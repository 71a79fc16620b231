import { beforeAll, expect, it } from "@jest/globals";
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { Page } from "playwright-core";
import { pageTo } from "../../../../sandbox/console/open-browser.ts";
import type { ActionResult } from "../../../../src/manifest/types.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { accessibilityProblems, inBrowser, overflow, settled, visit } from "./browser.ts";

inBrowser("the console in a browser", (suite) => {
  /** Every page, once there is something on it. */
  const paths: string[] = [
    "/",
    "/cases",
    "/runs",
    "/playbooks",
    "/connectors",
    "/instances",
    "/marketplace",
    "/tenant",
  ];

  beforeAll(async () => {
    const { console: started } = suite;
    const { page, complaints } = await suite.open();
    await tourByKeyboard(page);
    const [connector] = await started.call("GET /connectors");
    const { rows } = await started.call("GET /runs", { query: {} });
    paths.push(`/connectors/${connector!.id}`, `/connectors/${connector!.id}?tab=configuration`);
    const longTag = "S-1-5-21-1004336348-1177238915-682003330-".padEnd(100, "512");
    await started.call("PATCH /cases/:id", { path: { id: "1" }, body: { addTags: [longTag] } });
    paths.push(
      `/marketplace?inspect=${basename(started.zip)}`,
      "/cases/1",
      "/instances?new=instance",
      "/connectors?new=connector",
      "/nowhere",
    );
    paths.push(...rows.map(({ id }) => `/runs/${id}`));
    expect(complaints).toEqual([]);
  });

  /** From the package to a drawn path with Enter and Tab alone. */
  async function tourByKeyboard(page: Page): Promise<void> {
    const press = async (name: string): Promise<void> => {
      const button = page.getByRole("button", { name, exact: true });
      await button.waitFor();
      for (let presses = 0; (await focused(page)) !== name; presses++) {
        expect(presses).toBeLessThan(60);
        await page.keyboard.press("Tab");
      }
      await page.keyboard.press("Enter");
    };
    const home = async (): Promise<void> => {
      await page.getByRole("link", { name: "Home" }).press("Enter");
    };
    await press("Install");
    await press("Connect");
    await press("Poll");
    await page.getByRole("cell", { name: "Completed" }).waitFor();
    await home();
    await press("Open");
    await page.getByRole("tab", { name: /Events/ }).waitFor();
    await home();
    await press("Draw");
    await page.getByText("Completed").first().waitFor();
    await page.locator(".graph-drawing, .widget-frame").first().waitFor();
    const drawn = await suite.console.call("GET /runs/:id", { path: { id: page.url().split("/").at(-1)! } });
    const [path] = (drawn.json as unknown as ActionResult<"Does Path Exist">).paths;
    expect(path!.length).toBeGreaterThanOrEqual(4);
    expect(path!.tierZero).toContain(path!.end.objectId);
    // An open path is bad news.
    expect(await page.locator(".notice.good, .status.good, .badge.good").count()).toBe(0);
    await home();
    await page.getByRole("heading", { name: "Worst open cases" }).waitFor();
    expect(await page.getByRole("region", { name: "Tour" }).count()).toBe(0);
  }

  it("every page is accessible in both themes", async () => {
    const { page } = await suite.open("/", { withAxe: true });
    const problems: string[] = [];
    for (const path of paths) {
      await visit(page, path);
      if (/new=|inspect=/.test(path)) await page.getByRole("dialog").waitFor();
      problems.push(...(await accessibilityProblems(page)).map((problem) => `${path} ${problem}`));
    }
    expect(problems).toEqual([]);
  });

  it("every page opens at its address and fits screens of 360, 900 and 1920 pixels", async () => {
    const { page, complaints } = await suite.open();
    const tooWide: string[] = [];
    for (const path of paths) {
      await page.setViewportSize({ width: 360, height: 800 });
      await page.goto(`${suite.console.origin}${path}`);
      await settled(page);
      for (const width of [360, 900, 1920]) {
        await page.setViewportSize({ width, height: 800 });
        if ((await overflow(page)) > 0) tooWide.push(`${path} at ${width}`);
      }
    }
    expect(tooWide).toEqual([]);
    expect(complaints).toEqual([]);
  });

  it("a page without the token says which address to open, and signs in with it", async () => {
    const { origin, url } = suite.console;
    const { page } = await suite.open();
    await page.evaluate("localStorage.clear()");
    await page.goto(`${origin}/cases`);
    await page.getByText("This page is not signed in.").waitFor();
    await page.goto(url);
    await page.getByRole("heading", { name: "Home" }).waitFor();
    expect(page.url()).toBe(`${origin}/`);
  });

  it("the file that npm start --open hands to a browser opens it signed in, also after a reload", async () => {
    const { origin, entrance } = suite.console;
    const file = join(temporaryFolder(), "open.html");
    writeFileSync(file, pageTo(entrance));
    const context = await suite.browser.newContext();
    const page = await context.newPage();
    await page.goto(`file://${file}`);
    await page.getByRole("heading", { name: "Home" }).waitFor();
    expect(page.url()).toBe(`${origin}/`);
    await page.reload();
    await page.getByRole("heading", { name: "Home" }).waitFor();
    await context.close();
  });

  it("the theme that was chosen stays", async () => {
    const { page } = await suite.open();
    await page.getByRole("button", { name: "Dark theme" }).click();
    await page.reload();
    const shown = () => page.evaluate<string>("getComputedStyle(document.documentElement).colorScheme");
    expect(await shown()).toBe("dark");
    await page.getByRole("button", { name: "Theme of the system" }).click();
    expect(await shown()).toBe("light dark");
  });

  it("the back button goes through pages and keeps what a filter was", async () => {
    const { page } = await suite.open("/tenant?type=T0DCSync");
    await page.getByRole("link", { name: "Runs" }).click();
    await page.getByRole("heading", { name: "Runs" }).waitFor();
    await page.goBack();
    await page.getByRole("heading", { name: "Simulated tenant" }).waitFor();
    expect(page.url()).toContain("type=T0DCSync");
    // A long list of values is cut, and may not have the chosen one.
    await page.goto(`${suite.console.origin}/cases?environment=Gone`);
    await page.getByText("No case matches.").waitFor();
    expect(await page.getByLabel("Environment").inputValue()).toBe("Gone");
  });

  it("the back button closes a dialog, and leaves the page only without one", async () => {
    const { page } = await suite.open("/cases");
    await page.getByRole("link", { name: /^#1 / }).click();
    await page.getByRole("button", { name: "Run action" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.waitFor();
    await page.evaluate("history.back()");
    await dialog.waitFor({ state: "detached" });
    expect(new URL(page.url()).pathname).toBe("/cases/1");
    await page.goBack();
    await page.getByRole("heading", { name: "Cases" }).waitFor();
  });

  it("a configuration with unsaved changes is left only after a question", async () => {
    const { page } = await suite.open("/connectors");
    await page.getByRole("link", { name: "Attack Path Findings" }).click();
    await page.getByRole("tab", { name: "Configuration" }).click();
    const field = page.getByLabel("Run Every");
    const before = await field.inputValue();
    const question = page.getByRole("dialog", { name: "Leave without saving?" });
    const ways: (() => Promise<unknown>)[] = [
      () => page.getByRole("link", { name: "Instances" }).click(),
      () => page.getByRole("tab", { name: "Runs" }).click(),
      () => page.evaluate("history.back()"),
    ];
    await field.fill("33");
    // A way within the page leaves nothing.
    await page.getByRole("link", { name: "Skip to the page" }).press("Enter");
    expect(new URL(page.url()).hash).toBe("#main");
    await page.goBack();
    expect(await question.count()).toBe(0);
    for (const leave of ways) {
      await leave();
      await question.getByRole("button", { name: "Cancel" }).click();
      expect(await field.inputValue()).toBe("33");
    }
    await page.evaluate("history.back()");
    await question.getByRole("button", { name: "Leave" }).click();
    await page.getByRole("heading", { name: "Connectors" }).waitFor();

    await page.getByRole("link", { name: "Attack Path Findings" }).click();
    await page.getByRole("tab", { name: "Configuration" }).click();
    expect(await field.inputValue()).toBe(before);
    await field.fill("33");
    await page.getByRole("button", { name: "Save" }).click();
    await page.getByText("was saved. Its state stays.").waitFor();
    await page.getByRole("link", { name: "Instances" }).click();
    await page.getByRole("heading", { name: "Instances" }).waitFor();
  });

  it("the tenant is controlled, and what was done is said", async () => {
    const { page } = await suite.open("/tenant");
    await page.getByRole("button", { name: "Run an analysis", exact: true }).click();
    await page.getByText(/^The analysis of .* added/).waitFor();
    await page.getByRole("button", { name: "Inject" }).click();
    await page.getByText("Rate limit reached (429), 1 more").waitFor();
    await page.getByRole("button", { name: "Clear all" }).click();
    await page.getByRole("button", { name: "1 h ahead" }).click();
    await page.getByText("1 h ahead of this machine.").waitFor();
    await page.getByRole("button", { name: "As this machine" }).click();
    await page.getByRole("button", { name: "Add 1 finding", exact: true }).click();
    await page.getByText(/^Added 1 finding/).waitFor();
  });
});

function focused(page: Page): Promise<string> {
  return page.evaluate<string>('document.activeElement?.textContent ?? ""');
}

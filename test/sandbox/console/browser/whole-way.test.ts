import { expect, it } from "@jest/globals";
import type { Locator, Page } from "playwright-core";
import { accessibilityProblems, inBrowser, overflow, settled, visit } from "./browser.ts";

/** What is needed of an element; the tests are compiled without the types of a browser. */
interface Drawn {
  isConnected: boolean;
  matches: (selector: string) => boolean;
}

/** Tab leads to the target. */
async function reach(target: Locator): Promise<void> {
  await target.waitFor({ state: "attached" });
  const page = target.page();
  let element = await target.elementHandle();
  for (let presses = 0; presses < 200; presses++) {
    // Looking for the target by its name after each press would take most of the walk.
    const focused = await element.evaluate((node) =>
      (node as Drawn).isConnected ? (node as Drawn).matches(":focus") : null,
    );
    if (focused === true) return;
    if (focused === null) element = await target.elementHandle();
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not lead to ${String(target)}`);
}

/** Tab leads to the target, where a mouse could click it, too; Enter presses it. */
async function press(target: Locator): Promise<void> {
  await reach(target);
  await target.click({ trial: true });
  await target.page().keyboard.press("Enter");
}

inBrowser(
  "the whole way from a zip to the result of a playbook",
  (suite) => {
    /** Uploads, installs, connects, polls, investigates and automates; each step through the page alone. */
    async function walk(page: Page, zip: string): Promise<void> {
      const button = (name: string | RegExp) => page.getByRole("button", { name, exact: true });
      const visit = async (name: string): Promise<void> => {
        await press(page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name }));
        await page.getByRole("heading", { name, level: 1 }).waitFor();
        await settled(page);
      };
      const dialog = page.getByRole("dialog");

      await visit("Marketplace");
      const offered = page.waitForEvent("filechooser");
      await page.getByText("choose a zip").first().click();
      await offered;
      const chosen = page.waitForEvent("filechooser");
      await reach(page.getByLabel("choose a zip").first());
      await page.keyboard.press("Enter");
      await (await chosen).setFiles(zip);
      await press(dialog.getByRole("button", { name: "Install" }));
      await page.getByRole("article", { name: "Attack Path Analysis" }).waitFor();

      await visit("Instances");
      await press(button("Add instance").first());
      await press(dialog.getByRole("button", { name: "Fill in" }));
      await press(dialog.getByRole("button", { name: "Save and test" }));
      await dialog.getByText("Successfully connected").waitFor();
      await press(dialog.getByRole("button", { name: "Save", exact: true }));
      await page.getByText("Connected", { exact: true }).waitFor();

      await visit("Connectors");
      await press(button("Add connector").first());
      await press(dialog.getByRole("button", { name: "Save" }));
      await page.getByRole("heading", { name: "Attack Path Findings", level: 1 }).waitFor();
      await press(page.getByRole("button", { name: /^Run now/ }));
      await page.getByText(/Delivered \d+ new findings/).waitFor();

      await visit("Runs");
      await press(page.getByRole("table").getByRole("link", { name: "Attack Path Findings" }).first());
      await page.getByRole("table", { name: "Requests" }).waitFor();

      await visit("Cases");
      await press(page.getByRole("table").getByRole("link", { name: "CORP.HALDEN.TEST" }).last());
      await press(page.locator("td.main a", { hasText: "→" }).first());
      await press(dialog.getByRole("button", { name: "Run action" }));
      await press(dialog.getByRole("button", { name: "Run Does Path Exist" }));
      await press(dialog.getByText("Run an action on an object of the path"));
      await press(dialog.getByRole("button", { name: "Fetch Assets" }).first());
      await press(dialog.getByRole("button", { name: "Run Fetch Assets" }));
      await dialog.getByTitle("Widget of Fetch Assets").waitFor();
      await page.keyboard.press("Escape");

      await press(button("Run playbook"));
      await press(dialog.getByRole("button", { name: "Run playbook" }));
      await page.getByText("Form of the Findings").waitFor();
      await page.locator(".about-line").getByText("Completed").waitFor();
      await page.locator(".flow-state", { hasText: "Done" }).first().waitFor();
    }

    it("is walked with the keyboard alone, past controls that a mouse reaches, too", async () => {
      const { page, complaints } = await suite.open();
      await walk(page, suite.console.zip);
      expect(complaints).toEqual([]);
    });

    it("what opens above a page, and what the walk has left, is accessible and fits a narrow screen", async () => {
      const viewport = { width: 360, height: 800 };
      const { page } = await suite.open("/", { viewport, withAxe: true });
      const { console: walked } = suite;
      const [instance] = await walked.call("GET /instances");
      const [connector] = await walked.call("GET /connectors");
      const { rows } = await walked.call("GET /cases", { query: {} });
      const { actions, playbookRuns, alertList, id } = await walked.call("GET /cases/:id", {
        path: { id: String(rows.find(({ environmentName }) => environmentName === "CORP.HALDEN.TEST")!.id) },
      });
      const pressed = (name: string | RegExp) => () => page.getByRole("button", { name }).first().click();
      const views: [path: string, opens?: () => Promise<void>][] = [
        [`/playbook-runs/${playbookRuns[0]!.id}`],
        [`/cases?status=all&connector=${connector!.id}`],
        [`/cases/${id}?event=${alertList[0]!.key}.0`],
        [`/cases/${id}?alert=${alertList[0]!.key}`],
        [`/cases/${id}`, pressed("Run action")],
        [`/cases/${id}`, pressed("Run playbook")],
        [`/instances?edit=${instance!.id}`],
        [`/instances?tree=${instance!.id}`],
        ["/instances", pressed(/^Delete/)],
        [`/connectors/${connector!.id}`, pressed("Reset state")],
        ["/marketplace", pressed("Uninstall")],
        ...actions.map(({ runId }): [string] => [`/runs/${runId}`]),
      ];
      const problems: string[] = [];
      for (const [path, opens] of views) {
        await visit(page, path);
        await opens?.();
        if (opens !== undefined || /event=|alert=|edit=|tree=/.test(path)) await page.getByRole("dialog").waitFor();
        await settled(page);
        if ((await overflow(page)) > 0) problems.push(`${path} is too wide`);
        problems.push(...(await accessibilityProblems(page)).map((problem) => `${path} ${problem}`));
        // What asks for a confirmation stays open on the next page.
        if (opens !== undefined) await page.keyboard.press("Escape");
      }
      expect(problems).toEqual([]);
    });

    it("a widget is as high as what it shows, on a narrow and dark screen too", async () => {
      const { rows } = await suite.console.call("GET /runs", { query: { kind: "action", text: "Fetch Assets" } });
      const viewport = { width: 360, height: 800 };
      const { page } = await suite.open(`/runs/${rows[0]!.id}`, { colorScheme: "dark", viewport });
      const frame = page.getByTitle("Widget of Fetch Assets");
      const body = frame.contentFrame().locator("body");
      await expect(body.innerText()).resolves.not.toBe("");
      await page.locator('iframe[style*="height"]').waitFor();
      const difference = async (): Promise<number> => {
        const inner = await body.evaluate((element) => (element as unknown as { offsetHeight: number }).offsetHeight);
        return Math.abs((await frame.boundingBox())!.height - inner - 2);
      };
      // The widget draws itself while the frame follows.
      for (let frames = 0; (await difference()) > 1 && frames < 300; frames++)
        await page.evaluate("new Promise(requestAnimationFrame)");
      expect(await difference()).toBeLessThanOrEqual(1);
    });
  },
  "whole",
);

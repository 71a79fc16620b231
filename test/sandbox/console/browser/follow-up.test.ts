import { expect, it } from "@jest/globals";
import type { Page } from "playwright-core";
import type { AlertRow } from "../../../../sandbox/console/contract/index.ts";
import { accessibilityProblems, inBrowser, overflow, settled, visit } from "./browser.ts";

const integration = "attack_path_analysis";
/** Where screenshots go, for people who look at the walk. */
const SHOTS = process.env["SCREENSHOTS"];

inBrowser("an alert that closes itself when its findings are gone", (suite) => {
  const button = (page: Page, name: string | RegExp) => page.getByRole("button", { name });
  let jobId = "";
  let alert: AlertRow;
  /** Ids of its findings. */
  let findings: number[] = [];

  /** A host with cases, and an alert about paths. */
  async function prepare(): Promise<void> {
    const { host, zip, simulation, call } = suite.console;
    await host.install(zip);
    const { url, tokenId, tokenKey } = simulation.tenant;
    const parameters = { Server: url, "Token ID": tokenId, "Token Key": tokenKey };
    await call("POST /instances", { body: { integration, name: "Tenant", parameters } });
    const connector = await call("POST /connectors", { body: { integration, name: "Findings", parameters } });
    await host.runConnector(connector.id);
    const isPath = ({ key, findingType }: AlertRow): boolean =>
      findingType !== "T0Logins" && "source_object_id" in host.alerts.alert(key)!.events[0]!;
    alert = host.alerts.alerts().find(isPath)!;
    findings = host.alerts.alert(alert.key)!.events.map(({ finding_id: id }) => Number(id));
  }

  async function shoot(page: Page, name: string): Promise<void> {
    if (SHOTS === undefined) return;
    for (const width of [1280, 360])
      for (const colorScheme of ["light", "dark"] as const) {
        await page.setViewportSize({ width, height: 900 });
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: `${SHOTS}/${name}-${width}-${colorScheme}.png`, fullPage: true });
      }
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });
  }

  const tenantUrl = () =>
    `/tenant?environment=${encodeURIComponent(alert.environmentId)}&type=${encodeURIComponent(alert.findingType)}`;

  /** The next run of the job, which the page sees like any other. */
  async function runJob(): Promise<string> {
    return (await suite.console.host.runConnector(jobId)).message;
  }

  async function analyse(page: Page): Promise<void> {
    await visit(page, tenantUrl());
    await button(page, /^Run an analysis$/)
      .first()
      .click();
    await page
      .getByText(/The analysis of .* added/)
      .last()
      .waitFor();
  }

  it("is walked through the page, from the new job to the reopened alert", async () => {
    await prepare();
    const { page, complaints } = await suite.open("/connectors");
    await button(page, "Add job").click();
    const dialog = page.getByRole("dialog");
    await shoot(page, "add-job");
    await dialog.getByLabel("Close Alerts").click();
    await button(page, "Save").click();
    await page.getByRole("heading", { name: "Follow Up Findings", level: 1 }).waitFor();
    jobId = page.url().split("/").at(-1)!.split("?")[0]!;
    await button(page, /^Run now/).click();
    await page
      .getByText(/Judged \d+ open alerts/)
      .first()
      .waitFor();
    await page.getByRole("table", { name: "State of each finding type" }).waitFor();
    await shoot(page, "job");

    await visit(page, tenantUrl());
    for (const finding of findings) {
      await button(page, `Remediate finding ${finding}`).click();
      await page.getByText(`Finding ${finding} is remediated`).waitFor();
    }
    await button(page, /^Run an analysis$/)
      .first()
      .click();
    await page.getByText(/The analysis of .* added/).waitFor();
    await runJob();
    await visit(page, tenantUrl());
    for (const step of ["1 day", "1 hour"])
      await page.getByRole("group", { name: "Let time pass" }).getByText(step).click();
    await page.getByText("Skipped so far: 1 d 1 h.").waitFor();
    await shoot(page, "tenant");
    await analyse(page);
    // A read right after an analysis proves nothing.
    await page.getByRole("group", { name: "Let time pass" }).getByText("1 hour").click();
    await page.getByText("Skipped so far: 1 d 2 h.").waitFor();

    // The page shows the change without being loaded again.
    await visit(page, `/cases/${alert.caseId}?tab=alerts&alert=${alert.key}`);
    const message = await runJob();
    expect(message).toContain("close 1 alert");
    await dialog.getByText("by the job").waitFor();
    await page.keyboard.press("Escape");
    await page.getByText("by the job").first().waitFor();
    await shoot(page, "case-closed");
    await page.getByRole("tab", { name: "History" }).click();
    await page
      .getByText(/^Closed alert .* Reason: its findings are gone\. Evidence: \d+ findings? gone, absent after/)
      .waitFor();
    await shoot(page, "history");

    await visit(page, tenantUrl());
    const [finding] = findings;
    await button(page, `Bring back finding ${finding}`).click();
    await page.getByText(`Finding ${finding} is back`).waitFor();
    await analyse(page);
    await visit(page, `/cases/${alert.caseId}?tab=alerts`);
    await runJob();
    await page.getByText("Reopened", { exact: true }).waitFor();

    await visit(page, `/cases/${alert.caseId}?tab=alerts&alert=${alert.key}`);
    await button(page, "Close alert").click();
    // Outside of the dialog it would be covered, and not announced.
    await dialog.getByRole("status").getByText("No job touches it any more.").waitFor();
    await page.getByText("by a person").first().waitFor();
    await shoot(page, "alert");
    expect(complaints).toEqual([]);
  });

  it("stays open when a run cannot judge it, and the page of the job says why", async () => {
    const { page } = await suite.open(`/connectors/${jobId}`);
    const { simulation, call } = suite.console;
    const { control } = simulation.tenant;
    const notice = page.locator("main .notice");
    control.fault({ path: "details$", effect: { kind: "status", status: 500 } });
    control.analyse(alert.environmentId, { findings: {} });
    await runJob();
    await notice.getByText(/could not judge \d+ more.*Not judged: /).waitFor();
    await page.getByText("The numbers are those of the last analysis that could be read.").waitFor();
    await shoot(page, "job-not-judged");
    control.clearFaults();

    control.fault({ path: "available-domains$", effect: { kind: "status", status: 401 } });
    await call("DELETE /connectors/:id/state", { path: { id: jobId } });
    await runJob();
    await notice.getByText("The service rejected the credentials").waitFor();
    await page.getByText("The last run has not judged any open alert.").waitFor();
    control.clearFaults();
    await runJob();
  });

  it("is shown on pages that are accessible and fit a narrow screen", async () => {
    const { page } = await suite.open("/", { viewport: { width: 360, height: 800 }, withAxe: true });
    const problems: string[] = [];
    for (const path of [
      "/connectors",
      "/connectors?new=job",
      `/connectors/${jobId}`,
      `/connectors/${jobId}?tab=configuration`,
      `/cases/${alert.caseId}?tab=alerts`,
      `/cases/${alert.caseId}?tab=alerts&alert=${alert.key}`,
      `/cases/${alert.caseId}?tab=history`,
      tenantUrl(),
    ]) {
      await visit(page, path);
      if (/alert=|new=/.test(path)) await page.getByRole("dialog").waitFor();
      await settled(page);
      if ((await overflow(page)) > 0) problems.push(`${path} is too wide`);
      problems.push(...(await accessibilityProblems(page)).map((problem) => `${path} ${problem}`));
    }
    expect(problems).toEqual([]);
  });
});

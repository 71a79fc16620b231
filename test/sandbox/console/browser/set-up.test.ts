import { expect, it } from "@jest/globals";
import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { compressedScript, held, inBrowser, visit } from "./browser.ts";

it("the whole page needs at most 120 KB of script as it is sent", () => {
  expect(compressedScript()).toBeLessThanOrEqual(120 * 1024);
});

inBrowser("setting up in a browser", (suite) => {
  it("a zip is dropped, inspected and installed, and a damaged one is refused with the reason", async () => {
    const { console: started } = suite;
    const { page } = await suite.open("/marketplace");
    const zip = readFileSync(started.zip);
    const damaged = join(temporaryFolder(), "damaged.zip");
    writeFileSync(damaged, zip.subarray(0, zip.length / 2));

    await page.getByLabel("choose a zip").first().setInputFiles(damaged);
    await page.getByRole("dialog", { name: "damaged.zip" }).getByRole("alert").waitFor();
    expect(await page.getByRole("dialog").getByRole("button", { name: "Install" }).count()).toBe(0);
    await page.keyboard.press("Escape");

    await page.getByLabel("choose a zip").first().setInputFiles(started.zip);
    const dialog = page.getByRole("dialog");
    await dialog.getByText("This is a new integration.").waitFor();
    for (const text of ["Does Path Exist", "Attack Path Triage", "SHA-256", "Release notes"]) {
      expect(await dialog.getByText(text).count()).toBeGreaterThan(0);
    }
    await dialog.getByRole("button", { name: "Install" }).click();
    await page.getByRole("article", { name: "Attack Path Analysis" }).waitFor();
    await page.getByRole("button", { name: "Uninstall" }).click();
    await page.getByRole("dialog").getByText("stay: they are a record.").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Uninstall" }).click();
    await page.getByText("Nothing is installed yet").waitFor();
  });

  it("an instance is tested, and each way to fail says something else", async () => {
    const { console: started } = suite;
    await started.call("POST /packages", { query: { built: basename(started.zip) }, body: null });
    const { page } = await suite.open("/instances?new=instance");
    const dialog = page.getByRole("dialog", { name: "Add instance" });
    const name = dialog.getByLabel("Name", { exact: true });
    await name.and(page.locator(":focus")).waitFor();
    await page.keyboard.type("My ");
    const question = page.getByRole("dialog", { name: "Close without saving?" });
    const escape = () => page.keyboard.press("Escape");
    const cross = () => dialog.getByRole("button", { name: "Close", exact: true }).click();
    /** As a browser does when Escape is pressed again and again. */
    const force = () =>
      page.evaluate(`{
        const dialog = document.querySelector("dialog");
        dialog.dispatchEvent(new Event("cancel"));
        dialog.close();
      }`);
    for (const leave of [escape, () => page.mouse.click(5, 5), force, cross]) {
      await leave();
      await question.getByRole("button", { name: "Cancel" }).click();
      await question.waitFor({ state: "detached" });
      expect(await name.inputValue()).toContain("My ");
    }
    await dialog.getByRole("button", { name: "Save and test" }).click();
    await dialog.getByText("Enter Server.").waitFor();
    await dialog.getByRole("button", { name: "Fill in" }).click();
    await dialog.getByRole("button", { name: "Save and test" }).click();
    await dialog.getByText("Successfully connected").waitFor();
    await dialog.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Connected", { exact: true }).waitFor();
    expect(await page.content()).not.toContain(started.simulation.tenant.tokenKey);

    const outcome = page.getByRole("article").locator(".notice.danger").getByRole("status");
    const messages: string[] = [];
    const failure = async (): Promise<void> => {
      await page.getByRole("button", { name: /^Test/ }).click();
      await outcome.filter({ hasNotText: messages.at(-1) ?? "nothing yet" }).waitFor();
      messages.push((await outcome.textContent()) ?? "");
    };
    await started.simulation.perform({ do: "inject", fault: { name: "wrong_key", path: "", times: null } });
    await failure();
    await started.simulation.perform({ do: "clear_faults" });
    await started.simulation.perform({ do: "move_clock", aheadMs: 3_600_000 });
    await failure();
    await started.simulation.perform({ do: "move_clock", aheadMs: 0 });
    await started.simulation.perform({ do: "go_away" });
    await failure();
    expect(messages).toEqual([
      expect.stringMatching(/Token (Key|ID)/),
      expect.stringMatching(/clock/i),
      expect.stringMatching(/refused|port/i),
    ]);
    await started.simulation.perform({ do: "come_back" });
  });

  it("a connector takes the connection of an instance, is offered what the tenant has, and polls it into cases", async () => {
    const { console: started } = suite;
    await started.call("POST /packages", { query: { built: basename(started.zip) }, body: null });
    const { url, tokenId, tokenKey } = started.simulation.tenant;
    const parameters = { Server: url, "Token ID": tokenId, "Token Key": tokenKey };
    await started.call("POST /instances", { body: { integration: "attack_path_analysis", name: "Main", parameters } });
    const { page, complaints } = await suite.open("/connectors");
    const release = await held(page, /\/choices$/);
    await visit(page, "/connectors?new=connector");
    const dialog = page.getByRole("dialog");
    const onlyThese = dialog.getByLabel("Only these");
    await onlyThese.nth(1).check();
    await onlyThese.nth(0).check();
    await dialog.getByText("Asking the tenant for its values.").first().waitFor();
    const typed = dialog.getByRole("textbox", { name: "Selected Environments" });
    await typed.fill(await typed.inputValue());
    release();
    await dialog.getByRole("group", { name: "Selected Finding Types" }).getByRole("checkbox").first().waitFor();
    await typed.press("Tab");
    await typed.waitFor({ state: "detached" });
    await page.keyboard.press("Escape");
    const question = page.getByRole("dialog", { name: "Close without saving?" });
    await question.getByRole("button", { name: "Cancel" }).click();
    await question.waitFor({ state: "detached" });
    await dialog.getByLabel("All", { exact: true }).nth(1).check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await dialog.getByText("Choose at least one value for Selected Environments, or All.").waitFor();
    await dialog.getByLabel("FJORD.TEST").check();
    await dialog.getByRole("button", { name: "Save" }).click();
    await page.getByRole("heading", { name: "Attack Path Findings" }).waitFor();

    await page.getByRole("button", { name: /^Run now/ }).click();
    await page
      .getByRole("cell", { name: "T0DCSync" })
      .or(page.getByRole("cell", { name: "FJORD.TEST" }))
      .first()
      .waitFor();
    await page.getByRole("button", { name: /^Run now/ }).waitFor();
    expect(await page.getByRole("cell", { name: "CORP.HALDEN.TEST", exact: true }).count()).toBe(0);

    await page.getByRole("button", { name: "Reset state" }).click();
    await page.getByRole("dialog").getByText("reads every finding of the tenant again").waitFor();
    await page.getByRole("dialog").getByRole("button", { name: "Reset state" }).click();
    await page.getByText("Nothing is remembered yet").waitFor();

    await page.getByRole("button", { name: /^Test run/ }).click();
    await page.getByRole("tab", { name: /Would create/ }).waitFor();
    const { rows } = await started.call("GET /cases", { query: {} });
    expect(rows.map(({ environmentName }) => environmentName)).toEqual(["FJORD.TEST"]);
    expect(complaints.filter((text) => !text.includes("status of 4"))).toEqual([]);
  });
});

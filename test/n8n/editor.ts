import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { type Locator, type Page, selectors } from "playwright-core";
import { launchChromium } from "../support/chromium.ts";
import { OWNER, type Workflow } from "./api.ts";

const SIZE = { width: 1280, height: 800 };
/** n8n is slow on a busy machine. */
const TIMEOUT_MS = 120_000;
/** Pixels from the name of a node up to the middle of its picture, about. */
const ABOVE_NAME = 50;
/** What n8n says about an execution, and not about the credential that it has chosen. */
const ENDED = /executed successfully|problem|error|failed/i;

/** n8n's pages in Chromium. Each step leaves a picture. */
export class Editor {
  readonly #page: Page;
  readonly #url: string;
  readonly #pictures: string;
  #taken = 0;

  private constructor(page: Page, url: string, pictures: string) {
    this.#page = page;
    this.#url = url;
    this.#pictures = pictures;
  }

  /**
   * Signs the owner in.
   *
   * @param pictures - folder for the pictures
   */
  static async open(chromium: string, url: string, pictures: string): Promise<Editor> {
    await mkdir(pictures, { recursive: true });
    selectors.setTestIdAttribute("data-test-id");
    const browser = await launchChromium(chromium);
    const page = await browser.newPage({ viewport: SIZE });
    page.setDefaultTimeout(TIMEOUT_MS);
    const editor = new Editor(page, url, pictures);
    await editor.#goTo("/signin");
    await page.fill('input[name="emailOrLdapLoginId"]', OWNER.email);
    await page.fill('input[name="password"]', OWNER.password);
    await page.getByRole("button", { name: "Sign in" }).click();
    await page.waitForURL(/home|workflow/);
    return editor;
  }

  async close(): Promise<void> {
    await this.#page.context().browser()?.close();
  }

  /** Opens the form of a new credential, from the list of all types. */
  async newCredential(type: string): Promise<void> {
    await this.#goTo("/home/credentials");
    await this.#page.getByRole("button", { name: "Create credential" }).first().click();
    await this.#page.getByPlaceholder("Search for app...").fill(type);
    await this.#page.getByText(type).first().click();
    await this.#test("new-credential-type-button").click();
    await this.#test("credential-save-button").waitFor();
  }

  /** Fills fields of the credential, saves it, and returns what n8n says to its test. */
  async saveCredential(fields: Readonly<Record<string, string>>): Promise<string> {
    for (const [name, value] of Object.entries(fields)) {
      await this.#test(`parameter-input-${name}`).locator("input").fill(value);
    }
    await this.#test("credential-save-button").click();
    const success = this.#test("credentials-config-container-test-success").filter({ visible: true });
    const details = this.#page.getByText("More details");
    await success.or(details).first().waitFor();
    if (await details.isVisible()) await details.click();
    await this.picture("credential");
    return this.#test("node-credentials-config-container").innerText();
  }

  /** Imports a workflow, runs it with the button, and waits for n8n's message. */
  async run(workflow: Workflow): Promise<void> {
    await this.#goTo("/workflow/new");
    await this.#test("workflow-menu").waitFor();
    const file = { name: "workflow.json", mimeType: "application/json", buffer: Buffer.from(JSON.stringify(workflow)) };
    await this.#page.locator('input[type="file"]').first().setInputFiles(file);
    await this.#visible(workflow.nodes.at(-1)?.name ?? "").waitFor();
    await this.#test("execute-workflow-button").click();
    const toast = this.#page.locator(".el-notification, [role=alert]").filter({ hasText: ENDED, visible: true });
    await toast.first().waitFor();
    await this.picture(workflow.name);
    const text = await toast.first().innerText();
    if (!text.includes("successfully")) throw new Error(`${workflow.name}: ${text}`);
  }

  /** Opens a node that has run, and returns what its window shows. */
  async outputOf(name: string): Promise<string> {
    // The node takes the click, and not its name below it.
    const box = await this.#visible(name).boundingBox();
    if (box === null) throw new Error(`${name} is not on the canvas`);
    await this.#page.mouse.dblclick(box.x + box.width / 2, box.y - ABOVE_NAME);
    const node = this.#test("ndv");
    await node
      .getByText(/\d+ items?/)
      .filter({ visible: true })
      .first()
      .waitFor();
    await this.picture(`output of ${name}`);
    const text = await node.innerText();
    await this.#test("ndv-close-button").click();
    return text;
  }

  /** Opens a Data Table, and waits until it shows a text. */
  async table(name: string, shows: string): Promise<void> {
    await this.#goTo("/home/datatables");
    await this.#visible(name).click();
    await this.#visible(shows).waitFor();
    await this.picture(`table ${name}`);
  }

  /** Takes a picture of the page. */
  async picture(name: string): Promise<void> {
    this.#taken += 1;
    const file = `${String(this.#taken).padStart(2, "0")}-${name.toLowerCase().replace(/\W+/g, "-")}.png`;
    await this.#page.screenshot({ path: join(this.#pictures, file) });
  }

  #visible(text: string): Locator {
    return this.#page.getByText(text, { exact: true }).filter({ visible: true }).first();
  }

  #test(id: string): Locator {
    return this.#page.getByTestId(id);
  }

  async #goTo(path: string): Promise<void> {
    await this.#page.goto(this.#url + path, { waitUntil: "domcontentloaded" });
  }
}

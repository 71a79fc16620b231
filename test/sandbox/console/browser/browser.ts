import { afterAll, beforeAll } from "@jest/globals";
import { readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { brotliCompressSync } from "node:zlib";
import type { Browser, BrowserContextOptions, Page, Route } from "playwright-core";
import { buildPage, type PageBundle } from "../../../../sandbox/console/server/page.ts";
import { startSimulation, type Simulation } from "../../../../sandbox/console/server/simulation/simulation.ts";
import { launchChromium } from "../../../support/chromium.ts";
import { afterSuite } from "../../../support/cleanup.ts";
import { hostedProgram } from "../../../support/hosted-program.ts";
import { lightPackage } from "../../../support/light-package.ts";
import { builtPackage, kept, rootDir } from "../../../support/package.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { needs } from "../../../support/tools.ts";
import { startTestConsole, type TestConsole } from "../console.ts";

const chromium = needs("chromium");
export const bundle = await builtPage();
const axe = readFileSync(join(rootDir, "node_modules", "axe-core", "axe.min.js"), "utf8");

/** The page, which the suites build once between them. */
async function builtPage(): Promise<PageBundle> {
  const build = async (folder: string) => {
    const { html, assets } = await buildPage();
    const texts = assets.map(({ content, ...asset }) => ({ ...asset, content: Buffer.from(content).toString() }));
    writeFileSync(join(folder, "page.json"), JSON.stringify({ html, assets: texts }));
  };
  const folder = await kept("page", build, ["sandbox/console", "sandbox/tsconfig.json"]);
  const { html, assets } = JSON.parse(readFileSync(join(folder, "page.json"), "utf8")) as PageBundle;
  return { html, assets: assets.map((asset) => ({ ...asset, content: Buffer.from(asset.content) })) };
}

/** Bytes of all scripts as a server sends them. */
export function compressedScript(): number {
  const scripts = bundle.assets.filter(({ path }) => path.endsWith(".js"));
  return scripts.reduce((sum, { content }) => sum + brotliCompressSync(content).length, 0);
}

/** A console with the real page, a simulated tenant of its own, and a package built from the sources. */
export type WholeConsole = TestConsole & { simulation: Simulation; zip: string };

/** What a suite installs and runs: a light package whose runs share this process, or the package itself in processes of its own. */
type Plugin = "light" | "whole";

/** Describes a suite that drives one console in one Chromium. It is skipped where there is no Chromium. */
export function inBrowser(title: string, tests: (suite: BrowserSuite) => void, plugin: Plugin = "light"): void {
  chromium.describe(title, () => {
    const suite = new BrowserSuite();
    beforeAll(() => suite.start(plugin));
    afterAll(() => suite.close());
    tests(suite);
  });
}

async function startWholeConsole(plugin: Plugin): Promise<WholeConsole> {
  const isLight = plugin === "light";
  const zip = isLight ? await lightPackage() : (await builtPackage()).zip;
  const simulation = await startSimulation({ file: join(temporaryFolder(), "tenant.json") });
  afterSuite(() => simulation.close());
  const options = { page: bundle, simulation, builds: dirname(zip) };
  const started = await startTestConsole({ ...options, ...(isLight && { run: await hostedProgram() }) });
  return { ...started, simulation, zip };
}

export interface OpenedPage {
  page: Page;
  /** Uncaught errors, and what the browser refused or complained about since the page was opened. */
  complaints: string[];
}

interface PageOptions extends Pick<BrowserContextOptions, "viewport" | "colorScheme"> {
  /** Lets axe in, which the page's own policy keeps out. */
  withAxe?: boolean;
}

const SCREEN = { width: 1280, height: 900 };

/** The console and the Chromium of a suite. */
export class BrowserSuite {
  #browser: Browser | null = null;
  #console: WholeConsole | null = null;
  readonly #pages = new Map<boolean, OpenedPage>();

  async start(plugin: Plugin): Promise<void> {
    this.#browser = await launchChromium(chromium.found);
    this.#console = await startWholeConsole(plugin);
  }

  async close(): Promise<void> {
    await this.#browser?.close();
  }

  get browser(): Browser {
    if (this.#browser === null) throw new Error("Chromium has not been started.");
    return this.#browser;
  }

  get console(): WholeConsole {
    if (this.#console === null) throw new Error("The console has not been started.");
    return this.#console;
  }

  /**
   * Opens a page of the console, signed in. A tab of its own for each test would start a process each time, so the tests of a suite have one tab
   * in turn, and those with axe another one.
   */
  async open(
    path = "/",
    { viewport = SCREEN, colorScheme = "light", withAxe = false }: PageOptions = {},
  ): Promise<OpenedPage> {
    const opened = this.#pages.get(withAxe) ?? (await this.#signIn(withAxe));
    this.#pages.set(withAxe, opened);
    const { page, complaints } = opened;
    complaints.length = 0;
    await page.setViewportSize(viewport ?? SCREEN);
    await page.emulateMedia({ colorScheme });
    await page.goto(`${this.console.origin}${path}`);
    return opened;
  }

  async #signIn(bypassCSP: boolean): Promise<OpenedPage> {
    const page = await this.browser.newPage({ viewport: SCREEN, bypassCSP });
    page.setDefaultTimeout(20_000);
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    page.on("pageerror", (error) => complaints.push(error.message));
    await page.goto(this.console.url);
    return { page, complaints };
  }
}

const STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The rules of these standards that look at colours; all others look at the structure, which is the same in each theme. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/**
 * What axe finds wrong in the page, in the light theme and then in the dark one; run in a page whose policy is bypassed.
 *
 * @param part - where to look, as a selector, when the rest has been looked at already; default: everywhere
 */
export async function accessibilityProblems(page: Page, part = "html"): Promise<string[]> {
  // A page that is only navigated by its history keeps it.
  if (!(await page.evaluate<boolean>('typeof axe === "object"'))) await page.evaluate(axe);
  await page.emulateMedia({ colorScheme: "light" });
  const inLight = await violations(page, part, STANDARDS);
  await page.emulateMedia({ colorScheme: "dark" });
  const inDark = await violations(page, part, COLOUR_RULES);
  return [...inLight, ...inDark.map((problem) => `in the dark theme ${problem}`)];
}

function violations(page: Page, part: string, runOnly: readonly string[]): Promise<string[]> {
  return page.evaluate<string[]>(`axe
    .run(${JSON.stringify(part)}, { runOnly: ${JSON.stringify(runOnly)}, resultTypes: ["violations"] })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 200))))`);
}

/** Goes to another page of the console as the back button does, without loading the document again. */
export async function visit(page: Page, path: string): Promise<void> {
  // A page without content between them leaves nothing of the last one, nor a dialog of its own.
  for (const address of ["/nowhere", path]) {
    await page.evaluate(
      `history.pushState(null, "", ${JSON.stringify(address)}); dispatchEvent(new PopStateEvent("popstate"))`,
    );
    // The page is drawn before the next frame.
    await page.evaluate("new Promise(requestAnimationFrame)");
  }
  await settled(page);
}

/** Holds back the answer to the next request of this address. Resolves with what lets it come. */
export async function held(page: Page, address: RegExp): Promise<() => void> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const hold = async (route: Route): Promise<void> => {
    await released;
    await route.continue();
  };
  await page.route(address, hold, { times: 1 });
  return release;
}

/** Nothing loads any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator("main").waitFor();
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
}

/** By how many pixels the page is wider than the screen. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
}

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { buildPage } from "../../../sandbox/console/server/page.ts";
import { startSimulation, type Simulation } from "../../../sandbox/console/server/simulation/simulation.ts";
import { afterSuite } from "../../support/cleanup.ts";
import { builtPackage, rootDir } from "../../support/package.ts";
import { temporaryFolder } from "../../support/temporary-folder.ts";
import { needs } from "../../support/tools.ts";
import { startTestConsole, type TestConsole } from "../console.ts";

export const chromium = needs("chromium");
export const bundle = await buildPage();
const axe = readFileSync(join(rootDir, "node_modules", "axe-core", "axe.min.js"), "utf8");

/** Bytes of all scripts as a server sends them. */
export function compressedScript(): number {
  const scripts = bundle.assets.filter(({ path }) => path.endsWith(".js"));
  return scripts.reduce((sum, { content }) => sum + gzipSync(content).length, 0);
}

export async function launch(): Promise<Browser> {
  const playwright = await import("playwright-core");
  return playwright.chromium.launch({ executablePath: chromium.found, args: ["--no-sandbox"] });
}

/** A console with the real page, a simulated tenant of its own, and the package built from the sources. */
export async function startWholeConsole(): Promise<TestConsole & { simulation: Simulation; zip: string }> {
  const { zip } = await builtPackage();
  const simulation = await startSimulation({ file: join(temporaryFolder(), "tenant.json") });
  afterSuite(() => simulation.close());
  const started = await startTestConsole({ page: bundle, simulation, builds: dirname(zip) });
  return { ...started, simulation, zip };
}

export interface OpenedPage {
  page: Page;
  /** Uncaught errors, and what the browser refused or complained about. */
  complaints: string[];
}

/** Opens a page of the console, signed in. */
export async function open(
  browser: Browser,
  { origin, url }: Pick<TestConsole, "origin" | "url">,
  path = "/",
  options: BrowserContextOptions = {},
): Promise<OpenedPage> {
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  page.setDefaultTimeout(20_000);
  const complaints: string[] = [];
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(message.text());
  });
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.goto(url);
  if (path !== "/") await page.goto(`${origin}${path}`);
  return { page, complaints };
}

/** What axe finds wrong in the page; run in a page whose policy is bypassed. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  await page.evaluate(axe);
  return page.evaluate<string[]>(`axe
    .run({ runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ": " + html.slice(0, 200))))`);
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

import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { buildPage } from "../../../../sandbox/console/server/page.ts";
import { startSimulation, type Simulation } from "../../../../sandbox/console/server/simulation/simulation.ts";
import { afterSuite } from "../../../support/cleanup.ts";
import { builtPackage, rootDir } from "../../../support/package.ts";
import { temporaryFolder } from "../../../support/temporary-folder.ts";
import { needs } from "../../../support/tools.ts";
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

const STANDARDS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
/** The rules of these standards that look at colours; all others look at the structure, which is the same in each theme. */
const COLOUR_RULES = ["color-contrast", "link-in-text-block"];

/** What axe finds wrong in the page, in the light theme and then in the dark one; run in a page whose policy is bypassed. */
export async function accessibilityProblems(page: Page): Promise<string[]> {
  // A page that is only navigated by its history keeps it.
  if (!(await page.evaluate<boolean>('typeof axe === "object"'))) await page.evaluate(axe);
  await page.emulateMedia({ colorScheme: "light" });
  const inLight = await violations(page, STANDARDS);
  await page.emulateMedia({ colorScheme: "dark" });
  const inDark = await violations(page, COLOUR_RULES);
  return [...inLight, ...inDark.map((problem) => `in the dark theme ${problem}`)];
}

function violations(page: Page, runOnly: readonly string[]): Promise<string[]> {
  return page.evaluate<string[]>(`axe
    .run({ runOnly: ${JSON.stringify(runOnly)}, resultTypes: ["violations"] })
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

/** Nothing loads any more. */
export async function settled(page: Page): Promise<void> {
  await page.locator("main").waitFor();
  await page.locator(".skeleton").first().waitFor({ state: "detached" });
}

/** By how many pixels the page is wider than the screen. */
export function overflow(page: Page): Promise<number> {
  return page.evaluate<number>("document.documentElement.scrollWidth - innerWidth");
}

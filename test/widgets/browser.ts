import { afterAll, afterEach, beforeAll } from "@jest/globals";
import type { Browser, BrowserContextOptions, FrameLocator, Page } from "playwright-core";
import { buildWidgets } from "../../src/packaging/google-secops/widgets.ts";
import { rootDir } from "../support/package.ts";
import { launchChromium } from "../support/chromium.ts";
import { needs } from "../support/tools.ts";

export const chromium = needs("chromium");

export function launch(): Promise<Browser> {
  return launchChromium(chromium.found);
}

/** A frame as the platform puts around a widget, and what the widgets in it did besides drawing. */
export interface WidgetFrame {
  page: Page;
  /** Finds elements of the widget. */
  find: FrameLocator["locator"];
  byRole: FrameLocator["getByRole"];
  /** Shows another widget. */
  show(html: string): Promise<void>;
  /** Shows the next widgets as another screen and another platform would. A page of its own for each would start a process each time. */
  change(options: ViewOptions): Promise<void>;
  /** The value of a JavaScript expression in the widget. */
  evaluate(expression: string): Promise<unknown>;
  /** Messages on the console and uncaught errors. */
  complaints: string[];
}

export interface ViewOptions extends Pick<BrowserContextOptions, "colorScheme" | "reducedMotion" | "viewport"> {
  /** The background that the platform posts to a widget. */
  theme?: string;
}

export interface FrameOptions {
  /** What a frame without the platform's own origin is allowed to do. */
  sandbox?: string;
}

const HALF_A_SCREEN = { width: 600, height: 400 };

/** Opens a frame of half the width of a screen. */
export async function openFrame(browser: Browser, options: FrameOptions = {}): Promise<WidgetFrame> {
  const { sandbox } = options;
  const page = await browser.newPage({ viewport: HALF_A_SCREEN });
  const complaints: string[] = [];
  page.on("console", (message) => complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(error.message));
  await page.setContent(
    `<body style="margin:0"><iframe ${sandbox === undefined ? "" : `sandbox="${sandbox}"`} style="width:100vw;height:100vh;border:0;display:block"></iframe></body>`,
  );
  let post = "";
  const frame = page.frameLocator("iframe");
  return {
    page,
    find: frame.locator.bind(frame),
    byRole: frame.getByRole.bind(frame),
    evaluate: async (expression) => page.frames().at(-1)?.evaluate(expression),
    complaints,
    async change({ theme, viewport, colorScheme = "light", reducedMotion = "no-preference" }) {
      post =
        theme === undefined ? "" : `frame.contentWindow.postMessage({ background: ${JSON.stringify(theme)} }, "*");`;
      await page.setViewportSize(viewport ?? HALF_A_SCREEN);
      await page.emulateMedia({ colorScheme, reducedMotion });
    },
    async show(html) {
      await page.evaluate(`new Promise((resolve) => {
        const frame = document.querySelector("iframe");
        frame.addEventListener("load", () => { ${post} setTimeout(resolve, 0); }, { once: true });
        frame.srcdoc = ${JSON.stringify(html)};
      })`);
    },
  };
}

const widgets = await buildWidgets(rootDir);

/** The frame of a suite. Each of its tests begins without the complaints of the one before. */
export function frameOfSuite(): () => WidgetFrame {
  let browser: Browser;
  let frame: WidgetFrame;
  beforeAll(async () => {
    browser = await launch();
    frame = await openFrame(browser);
  });
  afterEach(() => {
    frame.complaints.length = 0;
  });
  afterAll(() => browser.close());
  return () => frame;
}

/** The document of a widget with a result in it, as the platform shows it: `<` was escaped by the launcher. */
export function filled(stem: string, result: unknown): string {
  return withText(stem, JSON.stringify(result).replaceAll("<", "\\u003c"));
}

/** What the platform does: the text of the result in place of the placeholder. */
export function withText(stem: string, text: string): string {
  return widgets.find((widget) => widget.stem === stem)!.html.replace("[{stepInstanceName}.JsonResult]", () => text);
}

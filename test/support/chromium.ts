import type { Browser } from "playwright-core";

/** Starts Chromium. */
export async function launchChromium(executablePath: string): Promise<Browser> {
  const { chromium } = await import("playwright-core");
  return chromium.launch({ executablePath, args: ["--no-sandbox"] });
}

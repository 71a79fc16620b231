import { expect, it } from "@jest/globals";
import { Live } from "../../sandbox/console/server/live.ts";
import { systemClock } from "../../src/clock.ts";

it("every page that listens gets each event, and the stream ends with the server", async () => {
  const live = new Live(systemClock);
  const pages = [live.listen(), live.listen()];
  live.publish({ type: "case", caseId: 7 });
  live.close();
  for (const page of pages) {
    expect(page.headers.get("content-type")).toBe("text/event-stream");
    expect(await page.text()).toBe(': connected\n\ndata: {"type":"case","caseId":7}\n\n');
  }
});

it("a page that does not read is let go before its events fill the memory", async () => {
  const live = new Live(systemClock);
  const sleeping = live.listen();
  for (let caseId = 0; caseId < 5_000; caseId++) live.publish({ type: "case", caseId });
  const events = (await sleeping.text()).split("\n\n").length;
  live.close();
  expect(events).toBeLessThan(1_100);
});

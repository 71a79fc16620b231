import { expect, it } from "@jest/globals";
import { Live } from "../../../sandbox/console/server/live.ts";
import { LiveEvents } from "../../../sandbox/soar/index.ts";
import { systemClock } from "../../../src/clock.ts";

it("every page that listens gets each event, and the stream ends with the server", async () => {
  const events = new LiveEvents();
  const live = new Live(systemClock, events);
  const pages = [live.listen(), live.listen()];
  events.emit({ type: "case", caseId: 7 });
  live.close();
  for (const page of pages) {
    expect(page.headers.get("content-type")).toBe("text/event-stream");
    expect(await page.text()).toBe(': connected\n\ndata: {"type":"case","caseId":7}\n\n');
  }
});

it("a page that does not read is let go before its events fill the memory", async () => {
  const events = new LiveEvents();
  const live = new Live(systemClock, events);
  const sleeping = live.listen();
  for (let caseId = 0; caseId < 5_000; caseId++) events.emit({ type: "case", caseId });
  const sent = (await sleeping.text()).split("\n\n").length;
  live.close();
  expect(sent).toBeLessThan(1_100);
});

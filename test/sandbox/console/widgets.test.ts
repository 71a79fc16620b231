import { describe, expect, it } from "@jest/globals";
import { WaitingFrames, widgetFrame } from "../../../sandbox/console/server/widgets.ts";
import { FakeClock } from "../../support/fake-clock.ts";

const BLOCK = '<script id="result" type="application/json"></script>';
const template = `<!doctype html><html lang="en"><head><style>b{}</style><script>run()</script></head><body>${BLOCK}</body></html>`;

describe("a widget's frame", () => {
  it("holds a result that cannot end its block", () => {
    const result = { text: "</script><script>alert(1)</script><!--", dollar: "$& $1 $'" };
    const { html } = widgetFrame(template, result, "light")!;
    expect(html.match(/<script/g)).toHaveLength(3);
    const [, data = ""] = /type="application\/json">(.*?)<\/script>/.exec(html) ?? [];
    expect(JSON.parse(data)).toEqual(result);
  });

  it("lets only the scripts in that the package has brought, and the one that tells the frame's height", () => {
    const { policy } = widgetFrame(template, { text: "<script>alert(1)</script>" }, "light")!;
    const own = "'sha256-AvyuiL0SD1mVY3NNxR+V2uo+lhk6RMFrytWmRt6CrJQ='";
    expect(policy.match(/script-src [^;]+/)![0]).toContain(`script-src ${own} 'sha256-`);
    expect(policy.match(/sha256-/g)).toHaveLength(3);
    const bare = widgetFrame(`<html lang="en">${BLOCK}`, {}, "light")!.policy;
    expect(bare.match(/script-src [^;]+/)![0].split(" ")).toHaveLength(2);
    expect(bare).toContain("style-src 'none'");
  });

  it("is not made of a document without one place for the result", () => {
    expect(widgetFrame("<html></html>", {}, "light")).toBeNull();
    expect(widgetFrame(`${BLOCK}${BLOCK}`, {}, "light")).toBeNull();
  });
});

describe("frames that wait to be opened", () => {
  const frame = { html: "", policy: "" };

  it("open once, and within a minute", () => {
    const clock = new FakeClock();
    const frames = new WaitingFrames(clock);
    const [first, second] = [frames.add(frame), frames.add(frame)].map((url) => url.replace("/widgets/", ""));
    expect(frames.take(first!)).toMatchObject(frame);
    expect(frames.take(first!)).toBeNull();
    clock.advance(61_000);
    expect(frames.take(second!)).toBeNull();
  });

  it("are not kept without end when nobody opens them", () => {
    const frames = new WaitingFrames(new FakeClock());
    const urls = Array.from({ length: 200 }, () => frames.add(frame).replace("/widgets/", ""));
    expect(urls.filter((ticket) => frames.take(ticket) !== null)).toHaveLength(50);
  });
});

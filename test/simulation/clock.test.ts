import { expect, test } from "@jest/globals";
import { drive, Process, VirtualTime } from "./clock.ts";

const YEAR_MS = 365 * 86_400_000;

test("A year passes at once when nothing happens in it", async () => {
  const time = new VirtualTime(1);
  const clock = new Process(time).clock(0);
  expect(await drive(time, clock.sleep(YEAR_MS))).toBe(true);
  expect(clock.now()).toBe(YEAR_MS);
});

test("Sleepers wake in the order of their moments", async () => {
  const time = new VirtualTime(1);
  const clock = new Process(time).clock(0);
  const woken: number[] = [];
  const sleepers = [30, 10, 20, 15].map((ms) => clock.sleep(ms).then(() => woken.push(ms)));
  await drive(time, Promise.all(sleepers));
  expect(woken).toEqual([10, 15, 20, 30]);
});

async function orderOfTies(seed: number): Promise<string> {
  const time = new VirtualTime(seed);
  const clock = new Process(time).clock(0);
  const woken: string[] = [];
  await drive(time, Promise.all(["a", "b", "c", "d", "e"].map((name) => clock.sleep(5).then(() => woken.push(name)))));
  return woken.join("");
}

test("The seed decides who wakes first of those that wake at the same moment", async () => {
  expect(await orderOfTies(7)).toBe(await orderOfTies(7));
  const orders = await Promise.all([1, 2, 3, 4, 5, 6].map(orderOfTies));
  expect(new Set(orders).size).toBeGreaterThan(2);
});

test("What happens without waiting takes no time", async () => {
  const time = new VirtualTime(1);
  const clock = new Process(time).clock(0);
  const work = async (): Promise<number> => {
    for (let turn = 0; turn < 100; turn++)
      await new Promise((resolve) => {
        process.nextTick(resolve);
      });
    return clock.now();
  };
  const working = work();
  void clock.sleep(1);
  await drive(time, working);
  expect(await working).toBe(0);
});

test("A killed process never wakes", async () => {
  const time = new VirtualTime(1);
  const [dead, alive] = [new Process(time), new Process(time)];
  let woken = false;
  void dead
    .clock(0)
    .sleep(5)
    .then(() => {
      woken = true;
    });
  dead.kill();
  await drive(time, alive.clock(0).sleep(10));
  expect(woken).toBe(false);
});

test("Sleep ends with the signal's reason, at once", async () => {
  const time = new VirtualTime(1);
  const clock = new Process(time).clock(0);
  const stop = new AbortController();
  const reason = new Error("called off");
  const sleep = clock.sleep(1_000, stop.signal);
  stop.abort(reason);
  await expect(sleep).rejects.toBe(reason);
  await expect(clock.sleep(5, stop.signal)).rejects.toBe(reason);
  expect(clock.now()).toBe(0);
});

test("Waiting for something that never happens is found out", async () => {
  const time = new VirtualTime(1);
  expect(await drive(time, new Promise(() => undefined))).toBe(false);
});

test("Work that goes on for ever is given up", async () => {
  const time = new VirtualTime(1);
  const clock = new Process(time).clock(0);
  const forever = async (): Promise<void> => {
    for (;;) await clock.sleep(60_000);
  };
  expect(await drive(time, forever(), 3_600_000)).toBe(false);
});

test("A clock can be set while a process goes by it, and its timers take their time", async () => {
  const time = new VirtualTime(1);
  const clock = new Process(time).clock(1_000, (moment) => (moment >= 5 ? -60 : 0));
  expect(clock.now()).toBe(1_000);
  await drive(time, clock.sleep(10));
  expect([time.now, clock.now()]).toEqual([10, 950]);
});

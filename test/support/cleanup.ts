import { afterAll } from "@jest/globals";

const tasks: (() => unknown)[] = [];

/** Runs the task when the suite (the test file) is over; what was asked for last is done first. */
export function afterSuite(task: () => unknown): void {
  tasks.push(task);
}

afterAll(async () => {
  for (const task of tasks.splice(0).reverse()) await task();
});

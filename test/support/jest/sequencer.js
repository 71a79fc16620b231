import { relative, sep } from "node:path";
import Sequencer from "@jest/test-sequencer";

/** Where suites take long: they start processes, browsers or whole scenarios, in files of a few lines. */
const long = ["faults", "cli/poll", "google-secops", "package", "widgets"].map((folder) =>
  ["test", ...folder.split("/"), ""].join(sep),
);

function takesLong({ path, context }) {
  return long.some((folder) => relative(context.config.rootDir, path).startsWith(folder));
}

/**
 * Begins with the suites that take long, so that none of them is left alone at the end. On a machine that has never run
 * the tests, Jest knows no durations and begins with the largest files.
 */
export default class LongSuitesFirst extends Sequencer {
  sort(tests) {
    const sorted = super.sort(tests);
    if (tests.some((test) => test.duration !== undefined)) return sorted;
    return [...sorted.filter(takesLong), ...sorted.filter((test) => !takesLong(test))];
  }
}

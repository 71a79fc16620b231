/** Runs test files in the order in which they were named: the fastest first, because any of them may notice a bug. */
export default class Sequencer {
  sort(tests) {
    const order = JSON.parse(process.env["TEST_ORDER"] ?? "[]");
    return [...tests].sort((a, b) => order.indexOf(a.path) - order.indexOf(b.path));
  }

  shard(tests) {
    return tests;
  }

  allFailedTests(tests) {
    return tests;
  }

  cacheResults() {
    // Nothing is kept between runs.
  }
}

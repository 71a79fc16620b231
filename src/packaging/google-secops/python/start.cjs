"use strict";
// Old syntax on purpose: whatever Node.js a machine has must read this far to say that it is too old.
var program = require("process");
var versions = program.versions;
var write = require("fs").writeSync;
var setInterval = require("timers").setInterval;

if (parseInt(versions.node, 10) >= 20) {
  // The launcher takes a Node.js that does not write this line for one that does not work, and tries the next one.
  write(1, '{"type":"ready"}\n');
  // A script that is killed cannot end this process, which may wait for the service for a long time.
  var parent = program.ppid;
  setInterval(function () {
    if (program.ppid !== parent) program.exit(1);
  }, 1000).unref();
  void import("./plugin.mjs");
} else {
  write(2, "Node.js 20 or later is needed, and this is " + versions.node);
  program.exit(1);
}

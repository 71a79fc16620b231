"use strict";
// Old syntax on purpose: whatever Node.js a machine has must read this far to say that it is too old.
var stdout = require("process").stdout;
var versions = require("process").versions;

if (parseInt(versions.node, 10) >= 20) {
  import("./plugin.mjs");
} else {
  stdout.write(
    JSON.stringify({
      type: "result",
      status: "failed",
      message: "Node.js 20 or later is needed, and the one that was found is " + versions.node + ". Update it.",
      value: false,
    }) + "\n",
  );
}

// Runs a program of mneme from the package of this platform, and ends as it ends.
"use strict";
const { spawn } = require("node:child_process");
const path = require("node:path");

function find(program) {
  const name = `@mneme-memory/mneme-${process.platform}-${process.arch}`;
  const file = process.platform === "win32" ? `${program}.exe` : program;
  try {
    return path.join(path.dirname(require.resolve(`${name}/package.json`)), "bin", file);
  } catch {
    console.error(`mneme: error: there is no ${name}`);
    console.error("mneme: hint: install without --omit=optional; see https://github.com/mneme-memory/mneme for other platforms");
    process.exit(1);
  }
}

exports.run = (program) => {
  const child = spawn(find(program), process.argv.slice(2), { stdio: "inherit" });
  // A terminal sends these to both, and the program decides what becomes of it.
  for (const signal of ["SIGINT", "SIGHUP"]) {
    process.on(signal, () => {});
  }
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.on("error", (err) => {
    console.error(`mneme: error: ${err.message}`);
    process.exit(1);
  });
  child.on("exit", (code, signal) => process.exit(signal ? 1 : code));
};

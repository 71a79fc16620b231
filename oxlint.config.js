import { readdirSync } from "node:fs";
import { join, relative } from "node:path";

const shared = [
  "./clock.ts",
  "./deadline.ts",
  "./hash.ts",
  "./json.ts",
  "./load-part.ts",
  "./logger.ts",
  "./secrets.ts",
  "./text.ts",
];

/** What runs beside a package and never in one, with the scripts that start it. Nothing else imports it. */
const commands = [
  { from: "./src/deploy", scripts: ["deploy-google-secops.ts"] },
  { from: "./src/cli", scripts: ["cli.ts"] },
];
const sources = readdirSync(join(import.meta.dirname, "src")).map((name) => `./src/${name}`);
const commandZones = commands.flatMap(({ from, scripts }) => [
  {
    target: [...sources.filter((path) => path !== from), "./actions", "./connectors", "./jobs", "./sandbox", "./bench"],
    from,
  },
  { target: `./scripts/!(${scripts.join("|")})`, from },
]);

/** The direction of imports: each entry says what the target must not know. */
const zones = [
  { target: "./src", from: ["./sandbox", "./scripts", "./bench", "./test", "./actions", "./connectors", "./jobs"] },
  // Clock, JSON, hashes, logger, deadline and texts are the few things that the service and the runtime share. They know nothing else of ours.
  { target: shared.map((file) => `./src/${file}`), from: "./src", except: shared },
  { target: "./src/service", from: "./src", except: ["./service", "./generated", ...shared] },
  {
    target: "./src/service/errors",
    from: ["./src/service/http", "./src/service/lists", "./src/service/responses", "./src/service/resources"],
  },
  { target: "./src/service/http", from: ["./src/service/lists", "./src/service/responses", "./src/service/resources"] },
  // Of the service, the runtime knows the interface that requests are sent through: the program around a run may have its own.
  {
    target: "./src/runtime",
    from: "./src",
    except: ["./runtime", "./manifest", "./generated", "./service/transport.ts", ...shared],
  },
  { target: "./src/manifest", from: "./src", except: ["./manifest", "./generated", ...shared] },
  { target: "./src/ingestion", from: ["./src/investigation", "./src/follow-up", "./src/packaging"] },
  { target: "./src/investigation", from: ["./src/ingestion", "./src/follow-up", "./src/packaging"] },
  // It judges what ingestion has delivered, and proves absence with what investigation knows of paths.
  { target: "./src/follow-up", from: ["./src/packaging"] },
  // Other formats are made of what the host contract says, and of nothing else. Only the command line knows them.
  { target: "./src/output", from: "./src", except: ["./output", "./runtime/protocol.ts", ...shared] },
  { target: "./src/!(cli|output)/**", from: "./src/output" },
  {
    target: "./actions",
    from: ["./connectors", "./jobs", "./src/packaging", "./src/output", "./sandbox", "./scripts"],
  },
  {
    target: "./connectors",
    from: ["./actions", "./jobs", "./src/packaging", "./src/output", "./sandbox", "./scripts"],
  },
  {
    target: "./jobs",
    from: ["./actions", "./connectors", "./src/packaging", "./src/output", "./sandbox", "./scripts"],
  },
  { target: "./sandbox/tenant", from: ["./src", "./actions", "./connectors", "./jobs", "./sandbox/soar"] },
  {
    target: "./sandbox/soar",
    from: [
      "./src/service",
      "./src/ingestion",
      "./src/investigation",
      "./src/follow-up",
      "./sandbox/tenant",
      "./sandbox/console/server",
      "./sandbox/console/browser",
    ],
  },
  // The browser knows the server by its contract only.
  { target: "./sandbox/console/browser", from: ["./sandbox/console/server", "./sandbox/soar", "./sandbox/tenant"] },
  // The browser sees the server through the contract, and shares its look with the widgets.
  {
    target: "./sandbox/console/browser",
    from: ["./src", "./actions", "./connectors", "./jobs", "./sandbox"],
    except: [
      "./text.ts",
      "./runtime/protocol.ts",
      "./manifest/manifest.ts",
      "./soar/rows.ts",
      "./console/contract",
      "./console/browser",
    ],
  },
  { target: ["./sandbox/console/server", "./sandbox/soar"], from: "./sandbox/console/browser" },
  // The bench measures what was built: it drives the package, and none of its parts.
  {
    target: "./bench",
    from: [
      "./src/service",
      "./src/ingestion",
      "./src/investigation",
      "./src/follow-up",
      "./actions",
      "./connectors",
      "./jobs",
    ],
  },
  // The plugin needs the simulated tenant for its tests, and nothing else of the lab.
  {
    target: ["./scripts/**", "./test/!(bench|sandbox)/**"],
    from: ["./sandbox/soar", "./sandbox/console", "./sandbox/conformance", "./bench"],
  },
  ...commandZones,
].map((zone) => ({ ...zone, message: "The direction of imports is described in CONTRIBUTING.md, under Structure." }));

/** Folders under test/ that hold tests. */
const tests = join(import.meta.dirname, "test");
const folders = readdirSync(tests, { recursive: true, withFileTypes: true })
  .filter(({ name }) => name.endsWith(".test.ts"))
  .map(({ parentPath }) => relative(tests, parentPath));
/** A folder inside a suite's folder belongs to the suite. */
const suites = [...new Set(folders)].filter(
  (folder) =>
    folder !== "" && folder !== "support" && !folders.some((other) => other !== "" && folder.startsWith(`${other}/`)),
);

/** A suite knows its own folder and test/support; what two suites need belongs there. Nothing else knows the tests. */
const testZones = [
  // The deliberate bugs are tried on the simulator.
  ...suites.map((suite) => ({
    target: `./test/${suite}`,
    from: "./test",
    except: [suite, "support", ...(suite === "mutation" ? ["simulation"] : [])],
  })),
  { target: "./test/support", from: "./test", except: ["support"] },
  { target: ["./sandbox", "./bench"], from: "./test" },
  // The simulator and the deliberate bugs are tests with a command line of their own.
  { target: "./scripts", from: "./test", except: ["simulation", "mutation"] },
].map((zone) => ({
  ...zone,
  message: "Only a suite's own files import them; what suites share lies in test/support.",
}));

/** Methods of texts and numbers for which src/text.ts has something better. */
function restricted(methods, better) {
  return methods.map((property) => ({ property, message: `Use ${better} of src/text.ts.` }));
}

/** What the strict rules of typescript-eslint hold beside the category of correctness. */
const strict = [
  "eslint/no-array-constructor",
  "eslint/no-case-declarations",
  "eslint/no-empty",
  "eslint/no-fallthrough",
  "eslint/no-prototype-builtins",
  "eslint/no-regex-spaces",
  "eslint/no-unexpected-multiline",
  "eslint/no-useless-constructor",
  "eslint/no-var",
  "eslint/prefer-const",
  "eslint/prefer-rest-params",
  "eslint/prefer-spread",
  "typescript/ban-ts-comment",
  "typescript/consistent-type-imports",
  "typescript/no-confusing-void-expression",
  "typescript/no-deprecated",
  "typescript/no-dynamic-delete",
  "typescript/no-empty-object-type",
  "typescript/no-explicit-any",
  "typescript/no-extraneous-class",
  "typescript/no-invalid-void-type",
  "typescript/no-misused-promises",
  "typescript/no-mixed-enums",
  "typescript/no-namespace",
  "typescript/no-non-null-asserted-nullish-coalescing",
  "typescript/no-non-null-assertion",
  "typescript/no-require-imports",
  "typescript/no-unnecessary-boolean-literal-compare",
  "typescript/no-unnecessary-condition",
  "typescript/no-unnecessary-template-expression",
  "typescript/no-unnecessary-type-arguments",
  "typescript/no-unnecessary-type-assertion",
  "typescript/no-unnecessary-type-constraint",
  "typescript/no-unnecessary-type-conversion",
  "typescript/no-unnecessary-type-parameters",
  "typescript/no-unsafe-argument",
  "typescript/no-unsafe-assignment",
  "typescript/no-unsafe-call",
  "typescript/no-unsafe-enum-assignment",
  "typescript/no-unsafe-enum-comparison",
  "typescript/no-unsafe-function-type",
  "typescript/no-unsafe-member-access",
  "typescript/no-unsafe-return",
  "typescript/only-throw-error",
  "typescript/prefer-literal-enum-member",
  "typescript/prefer-promise-reject-errors",
  "typescript/prefer-reduce-type-parameter",
  "typescript/prefer-return-this-type",
  "typescript/related-getter-setter-pairs",
  "typescript/require-await",
  "typescript/restrict-plus-operands",
  "typescript/unified-signatures",
  "typescript/use-unknown-in-catch-callback-variable",
];

export default {
  plugins: ["eslint", "typescript", "import", "oxc"],
  // The rules about imports that oxlint does not have itself.
  jsPlugins: [{ name: "imports", specifier: "eslint-plugin-import-x" }],
  categories: { correctness: "error" },
  options: { typeAware: true, reportUnusedDisableDirectives: "error" },
  ignorePatterns: ["dist/**", "src/generated/**", "coverage/**", ".sandbox/**"],
  overrides: [
    {
      files: ["**/*.{ts,tsx}"],
      rules: {
        ...Object.fromEntries(strict.map((rule) => [rule, "error"])),
        "eslint/no-unused-vars": ["error", { ignoreRestSiblings: true }],
        "eslint/max-lines": ["error", { max: 300, skipBlankLines: true, skipComments: true }],
        "eslint/complexity": ["error", 15],
        "typescript/restrict-template-expressions": ["error", { allowNumber: true, allowBoolean: true }],
        // Texts are sorted, and numbers are not.
        "typescript/require-array-sort-compare": "off",
        "typescript/return-await": ["error", "error-handling-correctness-only"],
        "import/no-cycle": "error",
        "import/no-duplicates": ["error", { "prefer-inline": true }],
        "imports/no-restricted-paths": ["error", { zones: [...zones, ...testZones] }],
      },
    },
    // Each part names the packages that it imports.
    ...[
      { files: ["{actions,connectors,jobs,scripts,src,test,widgets}/**/*.{ts,tsx}"], packageDir: "." },
      { files: ["{sandbox,bench}/**/*.{ts,tsx}", "test/{sandbox,bench}/**/*.ts"], packageDir: "sandbox" },
    ].map(({ files, packageDir }) => ({
      files,
      rules: {
        "imports/no-extraneous-dependencies": ["error", { packageDir: join(import.meta.dirname, packageDir) }],
      },
    })),
    {
      files: ["{src,actions,connectors,jobs}/**/*.ts"],
      rules: { "eslint/no-console": "error" },
    },
    {
      files: ["src/**/*.ts"],
      rules: { "eslint/no-restricted-properties": ["error", ...restricted(["toLocaleString"], "grouped")] },
    },
    // Two different objects must not become one: in plain capitals, straße and STRASSE are the same.
    {
      files: ["actions/**/*.ts", "src/{investigation,follow-up}/**/*.ts"],
      rules: {
        "eslint/no-restricted-properties": [
          "error",
          ...restricted(["toLocaleString"], "grouped"),
          ...restricted(
            ["toUpperCase", "toLowerCase", "toLocaleUpperCase", "toLocaleLowerCase"],
            "isSameText or inCapitals",
          ),
        ],
      },
    },
    {
      files: ["src/{cli,deploy}/**/*.ts", "sandbox/console/server/**/*.ts", "sandbox/console/browser/format.ts"],
      rules: {
        "eslint/no-restricted-globals": [
          "error",
          { name: "Date", message: "luxon handles dates here: docs/decisions.md, Dates and times." },
        ],
      },
    },
    {
      files: ["test/**/*.ts"],
      rules: { "eslint/max-lines": "off", "typescript/no-non-null-assertion": "off" },
    },
    {
      files: ["test/**/*.test.ts"],
      rules: {
        "eslint/no-restricted-imports": [
          "error",
          {
            patterns: [
              {
                group: ["**/sandbox/tenant/index.ts"],
                importNames: ["startTenant"],
                message: "test/support/tenant.ts starts a tenant and closes it when the suite is over.",
              },
            ],
          },
        ],
      },
    },
    // Without types, functions of a module look like methods.
    { files: ["**/*.{js,cjs,mjs}"], rules: { "typescript/unbound-method": "off" } },
  ],
};

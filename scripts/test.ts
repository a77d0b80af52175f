// npm test: all checks in one command, the same locally and in CI.
//   npm test -- --only STEP[,STEP…]   runs only those steps
//   npm test -- FILTER                runs the test files, unit or browser, whose path contains FILTER
import { spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { failureText, playwrightRun, type TestRun, vitestRun } from './failed-tests.ts';
import { ALL_PACKAGES, installMissing } from './setup/debian-packages.ts';
import { findChromium } from './setup/find-chromium.ts';
import { prepareBasemap, prepareBuild } from './setup/prepare.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const temporary = mkdtempSync(join(tmpdir(), 'lookout-test-'));
// Another user tries the release.
chmodSync(temporary, 0o711);
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));
/** Of all properties. */
const seed = process.env.TEST_SEED ?? String(randomInt(2 ** 31));
const say = (text: string) => process.stdout.write(`${text}\n`);
const bin = (name: string) => join(root, 'node_modules', name);
const compiled = (name: string) => join(root, 'node_modules/.cache', name);

type Show = (text: string) => void;

interface Step {
  readonly name: string;
  readonly what: string;
  /** @returns the number of tests, at least one. @throws Error if the step fails */
  readonly run: (show: Show) => Promise<TestRun>;
}

const oneCheck: TestRun = { passed: 1, failed: 0, failures: [] };

function runNode(
  show: Show,
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<number> {
  const env = { ...process.env, TMPDIR: temporary, TEST_SEED: seed, ...environment };
  const output = isAlone ? 'inherit' : 'pipe';
  const child = spawn(process.execPath, args, { cwd: root, stdio: ['ignore', output, output], env });
  for (const stream of [child.stdout, child.stderr]) stream?.setEncoding('utf8').on('data', show);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

function check(name: string, what: string, ...args: readonly string[]): Step {
  return {
    name,
    what,
    run: async (show) => {
      if ((await runNode(show, args)) !== 0) throw new Error(`${name} failed, see above`);
      return oneCheck;
    },
  };
}

/** @param only default: all files */
async function unitTests(show: Show, only: readonly string[] = []): Promise<TestRun> {
  const file = join(temporary, 'vitest.json');
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  await programs;
  await runNode(show, [bin('vitest/vitest.mjs'), 'run', ...only, ...reporters]);
  return vitestRun(readFileSync(file, 'utf8'), root);
}

/** @param only default: all files */
async function browserTests(show: Show, only: readonly string[] = []): Promise<TestRun> {
  await programs;
  const chromium = await findChromium((progress) => show(`${progress}\n`));
  const file = join(temporary, 'playwright.json');
  const code = await runNode(show, [bin('@playwright/test/cli.js'), 'test', ...only, '--reporter=line,json'], {
    ...(chromium === undefined ? {} : { CHROMIUM_PATH: chromium }),
    PLAYWRIGHT_JSON_OUTPUT_NAME: file,
    PLAYWRIGHT_TRANSFORM_CACHE_DIR: compiled('playwright'),
    NODE_COMPILE_CACHE: compiled('node-compile'),
  });
  const result = playwrightRun(readFileSync(file, 'utf8'), root);
  return { ...result, failed: code === 0 ? result.failed : Math.max(1, result.failed) };
}

const places = ['app', 'lib', 'components', 'service', 'scripts', 'testing', 'bench', 'e2e', 'instrumentation.ts'];

const build: Step = {
  name: 'build',
  what: 'basemap and production build',
  run: async (show) => {
    const showLine = (progress: string) => show(`${progress}\n`);
    await prepareBasemap(root, showLine);
    await prepareBuild(root, showLine);
    return oneCheck;
  },
};

/** Lanes run side by side: one uses the processors while the other waits. Types and sizes are those of the build. */
const allLanes: readonly (readonly Step[])[] = [
  [
    build,
    check('types', 'types', bin('typescript/bin/tsc'), '--noEmit'),
    check('size', 'size of the page’s JavaScript', bin('size-limit/bin.js')),
  ],
  [
    check('browsers', 'what the oldest browsers lack', join(root, 'scripts/lint/browsers.ts')),
    check('lint', 'format and lint', bin('@biomejs/biome/bin/biome'), 'ci', '.'),
    check('prose', 'English of comments, documents and texts', join(root, 'scripts/lint/prose.ts')),
  ],
];

/** Side by side, tests meet limits of time. */
const allSuites: readonly Step[] = [
  { name: 'unit', what: 'unit, property and conformance tests', run: (show) => unitTests(show) },
  { name: 'browser', what: 'tests in a real browser', run: (show) => browserTests(show) },
];

const lastSteps: readonly Step[] = [
  check(
    'walls',
    'walls between the parts',
    bin('dependency-cruiser/bin/dependency-cruiser.mjs'),
    ...places,
    '--config',
    '.dependency-cruiser.mjs',
  ),
  check('unused', 'unused files, exports and packages', bin('knip/bin/knip.js')),
];

function stop(why: string): never {
  say(why);
  process.exit(1);
}

function stepsFor(filter: string): readonly Step[] {
  const found = testFiles().filter((file) => file.includes(filter));
  if (found.length === 0)
    stop(`No test file has “${filter}” in its path: write a part of a path, for example service/store.`);
  const browser = found.filter((file) => file.endsWith('.spec.ts'));
  const unit = found.filter((file) => !file.endsWith('.spec.ts'));
  const steps: Step[] = [];
  if (unit.length > 0) steps.push({ name: 'unit', what: unit.join(' '), run: (show) => unitTests(show, unit) });
  if (browser.length > 0)
    steps.push(build, { name: 'browser', what: browser.join(' '), run: (show) => browserTests(show, browser) });
  return steps;
}

function testFiles(): readonly string[] {
  const folders = places.filter((place) => !place.endsWith('.ts'));
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(test|spec)\.tsx?$/.test(file))
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`),
  );
}

const { values, positionals } = parseArgs({ options: { only: { type: 'string' } }, allowPositionals: true });
const only = values.only?.split(',');
const names = [...allLanes.flat(), ...lastSteps, ...allSuites].map(({ name }) => name);
const unknown = only?.filter((name) => !names.includes(name)) ?? [];
if (unknown.length > 0) stop(`Unknown step ${unknown.join(', ')}: use ${names.join(', ')}.`);
const [filter] = positionals;
const chosen = (steps: readonly Step[]) => steps.filter(({ name }) => only?.includes(name) ?? true);
const lanes = filter === undefined ? allLanes.map(chosen).filter(({ length }) => length > 0) : [stepsFor(filter)];
const last = filter === undefined ? [...chosen(lastSteps)] : [];
const suites = filter === undefined ? chosen(allSuites) : [];
/** Side by side, steps show their output when they end, or lines would mix. */
const isAlone = lanes.length <= 1;
const failedSteps: string[] = [];
/** Repeated at the end, where they are found in any log. */
const failures: string[] = [];
let passed = 0;
let failed = 0;

async function runStep({ name, what, run }: Step): Promise<void> {
  const startedMs = performance.now();
  const title = `\n── ${name}: ${what}`;
  const output: string[] = [];
  const show: Show = isAlone ? (text) => process.stdout.write(text) : (text) => output.push(text);
  say(isAlone ? title : `── ${name}: started`);
  let result: TestRun;
  try {
    result = await run(show);
  } catch (error) {
    show(`${error instanceof Error ? error.message : String(error)}\n`);
    result = { passed: 0, failed: 1, failures: [] };
  }
  passed += result.passed;
  failed += result.failed;
  if (result.failed > 0) failedSteps.push(name);
  failures.push(...result.failures.map(failureText));
  if (!isAlone) say(`${title}\n${output.join('')}`.trimEnd());
  const outcome = result.failed === 0 ? 'passed' : 'FAILED';
  say(`── ${name}: ${outcome} in ${Math.round((performance.now() - startedMs) / 1000)} s`);
}

async function runLane(steps: readonly Step[]): Promise<void> {
  for (const step of steps) await runStep(step);
  for (let step = last.shift(); step; step = last.shift()) await runStep(step);
}

const programs = [...lanes.flat(), ...suites].some(({ name }) => name === 'unit' || name === 'browser')
  ? installMissing(ALL_PACKAGES, say)
  : Promise.resolve();
await Promise.all(lanes.length === 0 ? [runLane([])] : lanes.map(runLane));
for (const suite of suites) await runStep(suite);
for (const failure of failures) say(`\n${failure}`);
say(`\nSeed of the properties: ${seed} (TEST_SEED=${seed} repeats it)`);
say(failedSteps.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failedSteps.join(', ')}`);
// At the exit, a full pipe would lose text.
process.stdout.write(`${passed} passed, ${failed} failed\n`, () => {
  process.exit(failedSteps.length === 0 && passed > 0 ? 0 : 1);
});

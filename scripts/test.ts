// npm test: all checks in one command, the same locally and in CI.
//   npm test -- --only STEP[,STEP…]        runs only those steps
//   npm test -- FILTER …                   runs the test files, unit or browser, whose path contains a FILTER
//   npm test -- --changed [--base BRANCH]  runs what the changes since the main branch reach, within a minute
//   npm run test:long                      runs long properties, kills and virtual days in full
import { randomInt } from 'node:crypto';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir, totalmem } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { isBuilt, prepareBasemap, prepareBuild } from './setup/prepare.ts';
import { type Changed, changedFiles } from './test/changed-files.ts';
import { endOnSignals, runNode, takeEndedSeconds } from './test/children.ts';
import { chooseChanged, notRunText, reachText } from './test/choose-changed.ts';
import { costTables, keepCosts, knownCosts } from './test/cost-tables.ts';
import { readCosts } from './test/costs.ts';
import { ownSeconds } from './test/processor-time.ts';
import { showProgress } from './test/progress.ts';
import { costText, failed, runSteps, type Step } from './test/run-steps.ts';
import { isSuite, PLACES, suiteSteps, testFiles } from './test/suites.ts';

/** Of two suites with their browsers, servers and PostgreSQL. With less, all steps follow each other. */
const SIDE_BY_SIDE_MIN_BYTES = 7e9;

const { values, positionals } = parseArgs({
  options: {
    only: { type: 'string' },
    changed: { type: 'boolean' },
    base: { type: 'string' },
    long: { type: 'boolean' },
  },
  allowPositionals: true,
});
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const temporary = mkdtempSync(join(tmpdir(), 'lookout-test-'));
// Another user tries the release.
chmodSync(temporary, 0o711);
process.once('exit', () => rmSync(temporary, { recursive: true, force: true }));
endOnSignals();
/** The seed of all properties. */
const seed = process.env.TEST_SEED ?? String(randomInt(2 ** 31));
const costsFile = join(temporary, 'costs.jsonl');
const keptCosts = join(root, 'node_modules/.cache/test-costs.json');
const environment = {
  TMPDIR: temporary,
  TEST_SEED: seed,
  TEST_COSTS: costsFile,
  ...(values.long && { TEST_LONG: '1' }),
};
const say = (text: string) => process.stdout.write(`${text}\n`);
const bin = (name: string) => join(root, 'node_modules', name);
const suites = { root, temporary, environment, say };

function check(name: string, what: string, ...args: readonly string[]): Step {
  return {
    name,
    what,
    async run(show) {
      const { code, processorSeconds } = await runNode(args, { cwd: root, environment, show });
      if (code !== 0) return failed(name, `it ended with ${code}, see its output`, processorSeconds);
      return { passed: 1, failed: 0, skipped: 0, failures: [], processorSeconds };
    },
  };
}

const build: Step = {
  name: 'build',
  what: 'basemap and production build',
  async run(show) {
    const showLine = (progress: string) => (show === undefined ? say(progress) : show(`${progress}\n`));
    takeEndedSeconds();
    await prepareBasemap(root, showLine);
    await prepareBuild(root, showLine);
    return { passed: 1, failed: 0, skipped: 0, failures: [], processorSeconds: takeEndedSeconds() };
  },
};
const lint = (...files: readonly string[]) =>
  check('lint', 'format and lint', bin('@biomejs/biome/bin/biome'), 'ci', '--no-errors-on-unmatched', ...files);
const prose = (...files: readonly string[]) =>
  check('prose', 'English of comments, documents and texts', join(root, 'scripts/lint/prose.ts'), ...files);
const types = check('types', 'types', bin('typescript/bin/tsc'), '--noEmit');
const size = check('size', 'size of the page’s JavaScript', bin('size-limit/bin.js'));
const browsers = check('browsers', 'what the oldest browsers lack', join(root, 'scripts/lint/browsers.ts'));
const walls = check(
  'walls',
  'walls between the parts',
  bin('dependency-cruiser/bin/dependency-cruiser.mjs'),
  ...PLACES,
  '--config',
  '.dependency-cruiser.mjs',
);
const unused = check('unused', 'unused files, exports and packages', bin('knip/bin/knip.js'));

const allTests = testFiles(root);
let testsOfRun = allTests;

/**
 * Lanes run side by side: one uses the processors while the other waits. Format and lint, which fail most often, come first. Types
 * and sizes are those of the build.
 */
function allLanes(): readonly (readonly Step[])[] {
  const suiteNamed = new Map(suiteSteps(suites, allTests).map((step) => [step.name, step]));
  const suite = (name: string) => [suiteNamed.get(name)].filter((step) => step !== undefined);
  return [
    [build, types, size, ...suite('browser'), ...suite('app')],
    [lint('.'), prose(), walls, unused, browsers, ...suite('unit')],
  ];
}

function lanesOf(names: readonly string[]): readonly (readonly Step[])[] {
  const all = allLanes();
  const known = all.flat().map(({ name }) => name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) stop(`Unknown step ${unknown.join(', ')}: use ${known.join(', ')}.`);
  return all.map((lane) => lane.filter(({ name }) => names.includes(name))).filter(({ length }) => length > 0);
}

function stepsFor(filters: readonly string[]): readonly Step[] {
  for (const filter of filters)
    if (!allTests.some((file) => file.includes(filter)))
      stop(`No test file has “${filter}” in its path: write a part of a path, for example service/store.`);
  const found = allTests.filter((file) => filters.some((filter) => file.includes(filter)));
  return withBuild(suiteSteps(suites, found));
}

/** Tests that need none come first. */
function withBuild(steps: readonly Step[]): readonly Step[] {
  const first = steps.findIndex(({ needs }) => needs?.includes('build'));
  return first < 0 ? steps : [...steps.slice(0, first), build, ...steps.slice(first)];
}

/** The tests within reach of a change that fit into a minute; `notRun` gets the others. */
function changedLanes({ since, files, deleted, all }: Changed): readonly (readonly Step[])[] {
  const costs = knownCosts(keptCosts);
  const chosen = chooseChanged(root, { since, files, deleted, all }, allTests, (file) => costs[file], isBuilt(root));
  say(`Files changed since ${since}: ${files.length + deleted.length}. They reach ${reachText(chosen)}.`);
  notRun.push(...notRunText(chosen));
  testsOfRun = chosen.run;
  const written = files.filter((file) => /\.(md|[mc]?[jt]sx?)$/.test(file));
  return [
    withBuild(suiteSteps(suites, chosen.run)),
    files.length === 0 ? [] : [lint(...files), ...(written.length === 0 ? [] : [prose(...written)])],
    [types],
  ].filter(({ length }) => length > 0);
}

function stop(why: string, code = 1): never {
  say(why);
  process.exit(code);
}

/** The steps that did not run, printed at the end. */
const notRun: string[] = [];

function chosenLanes(): readonly (readonly Step[])[] {
  if (values.changed) {
    const changed = changedFiles(root, values.base);
    if (changed.files.length + changed.deleted.length === 0) stop(`Nothing changed since ${changed.since}.`, 0);
    return changedLanes(changed);
  }
  if (positionals.length > 0) return [stepsFor(positionals)];
  return lanesOf(
    values.only?.split(',') ??
      allLanes()
        .flat()
        .map(({ name }) => name),
  );
}

const lanes = chosenLanes();
const isSideBySide = lanes.length > 1 && totalmem() >= SIDE_BY_SIDE_MIN_BYTES;
const progress = isSideBySide ? showProgress(costsFile, testsOfRun, say) : undefined;
const startedMs = performance.now();
// The checks, which are short, come before the suites.
const inOrder = lanes.flat().toSorted((a, b) => Number(isSuite(a.name)) - Number(isSuite(b.name)));
const run = await runSteps(isSideBySide ? lanes : [inOrder], say, progress?.running);
progress?.stop();

const costs = readCosts(costsFile);
keepCosts(keptCosts, costs);
say(costTables(costs));
say('\nSteps');
for (const cost of run.costs) say(`${cost.name.padStart(9)} ${costText(cost)}`);
for (const failure of run.failures) say(`\n${failure}`);
for (const line of notRun) say(`\n${line}`);
say(`\nSeed of the properties: ${seed} (TEST_SEED=${seed} repeats it)`);
const seconds = Math.round((performance.now() - startedMs) / 1000);
// The steps know more than the system where a browser's processes outlived their parent.
const ofSteps = run.costs.reduce((sum, { processorSeconds }) => sum + processorSeconds, 0);
say(`${seconds} s, ${Math.round(Math.max(ownSeconds(), ofSteps))} s of processor time`);
const hasPassed = run.failedSteps.length === 0 && run.passed > 0;
say(hasPassed ? '\nAll checks passed.' : `\nFailed: ${run.failedSteps.join(', ')}`);
const skipped = run.skipped === 0 ? '' : `, ${run.skipped} skipped`;
// At the exit, a full pipe would lose text.
process.stdout.write(`${run.passed} passed, ${run.failed} failed${skipped}\n`, () => process.exit(hasPassed ? 0 : 1));

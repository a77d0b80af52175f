// npm test: everything that is checked, in one command, the same here and in CI.
//   npm test -- --only STEP[,STEP…]   runs those steps alone
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { findChromium } from './setup/find-chromium.ts';
import { prepareBasemap, prepareBuild } from './setup/prepare.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const reports = mkdtempSync(join(tmpdir(), 'lookout-test-'));
const say = (text: string) => process.stdout.write(`${text}\n`);
const bin = (name: string) => join(root, 'node_modules', name);

interface Tally {
  readonly passed: number;
  readonly failed: number;
}

interface Step {
  readonly name: string;
  readonly what: string;
  /** @returns the tests that it ran; a step without tests of its own counts as one. @throws Error where it fails */
  readonly run: () => Promise<Tally>;
}

const oneCheck: Tally = { passed: 1, failed: 0 };

/** Runs a Node program with its output shown. @returns its exit code */
function runNode(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Promise<number> {
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...environment } });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

function check(name: string, what: string, ...args: readonly string[]): Step {
  return {
    name,
    what,
    run: async () => {
      if ((await runNode(args)) !== 0) throw new Error(`${name} found something to mend, see above`);
      return oneCheck;
    },
  };
}

const vitestReport = z.object({ numPassedTests: z.int(), numFailedTests: z.int(), success: z.boolean() });
const playwrightReport = z.object({ stats: z.object({ expected: z.int(), unexpected: z.int(), flaky: z.int() }) });

async function unitTests(): Promise<Tally> {
  const file = join(reports, 'vitest.json');
  await runNode([
    bin('vitest/vitest.mjs'),
    'run',
    '--reporter=default',
    '--reporter=json',
    `--outputFile.json=${file}`,
  ]);
  const { numPassedTests, numFailedTests, success } = vitestReport.parse(JSON.parse(readFileSync(file, 'utf8')));
  return { passed: numPassedTests, failed: success ? numFailedTests : Math.max(1, numFailedTests) };
}

async function browserTests(): Promise<Tally> {
  const chromium = await findChromium(say);
  const file = join(reports, 'playwright.json');
  const code = await runNode([bin('@playwright/test/cli.js'), 'test', '--reporter=line,json'], {
    ...(chromium === undefined ? {} : { CHROMIUM_PATH: chromium }),
    PLAYWRIGHT_JSON_OUTPUT_NAME: file,
  });
  const { expected, unexpected, flaky } = playwrightReport.parse(JSON.parse(readFileSync(file, 'utf8'))).stats;
  if (flaky > 0) say(`${flaky} passed only when they were tried again, see above`);
  return { passed: expected + flaky, failed: code === 0 ? unexpected : Math.max(1, unexpected) };
}

const places = [
  'app',
  'lib',
  'components',
  'service',
  'scripts',
  'testing',
  'bench',
  'e2e',
  'proxy.ts',
  'instrumentation.ts',
];

const steps: readonly Step[] = [
  check('lint', 'format and lint', bin('@biomejs/biome/bin/biome'), 'ci', '.'),
  {
    name: 'build',
    what: 'basemap and production build',
    run: async () => {
      await prepareBasemap(root, say);
      await prepareBuild(root, say);
      return oneCheck;
    },
  },
  check('types', 'types', bin('typescript/bin/tsc'), '--noEmit'),
  check(
    'walls',
    'walls between the parts',
    bin('dependency-cruiser/bin/dependency-cruiser.mjs'),
    ...places,
    '--config',
    '.dependency-cruiser.mjs',
  ),
  check('unused', 'unused files, exports and packages', bin('knip/bin/knip.js')),
  check('size', 'size of the page’s JavaScript', bin('size-limit/bin.js')),
  { name: 'unit', what: 'unit, property and conformance tests', run: unitTests },
  { name: 'browser', what: 'tests in a real browser', run: browserTests },
];

const onlyAt = process.argv.indexOf('--only');
const only = onlyAt === -1 ? undefined : process.argv[onlyAt + 1]?.split(',');
const failures: string[] = [];
let passed = 0;
let failed = 0;
for (const step of steps) {
  if (only && !only.includes(step.name)) continue;
  const startedMs = performance.now();
  say(`\n── ${step.name}: ${step.what}`);
  let tally: Tally;
  try {
    tally = await step.run();
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
    tally = { passed: 0, failed: 1 };
  }
  passed += tally.passed;
  failed += tally.failed;
  if (tally.failed > 0) failures.push(step.name);
  say(
    `── ${step.name}: ${tally.failed === 0 ? 'passed' : 'FAILED'} in ${Math.round((performance.now() - startedMs) / 1000)} s`,
  );
}
say(failures.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failures.join(', ')}`);
say(`${passed} passed, ${failed} failed`);
process.exit(failures.length === 0 && passed > 0 ? 0 : 1);

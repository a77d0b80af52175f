import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ALL_PACKAGES, installMissing } from '../setup/debian-packages.ts';
import { findChromium } from '../setup/find-chromium.ts';
import { runNode } from './children.ts';
import { filesOf } from './cost-tables.ts';
import { readCosts } from './costs.ts';
import { playwrightReport, vitestReport, wholeRun } from './failed-tests.ts';
import type { Show, Step } from './run-steps.ts';

const FOLDERS = ['app', 'lib', 'components', 'service', 'scripts', 'testing', 'bench', 'e2e'];

/** With code of this project, for tools that take places. */
export const PLACES: readonly string[] = [...FOLDERS, 'instrumentation.ts'];

export interface Suites {
  readonly root: string;
  /** A folder for reports. */
  readonly temporary: string;
  /** The environment of every process of a test. */
  readonly environment: Readonly<Record<string, string>> & { readonly TEST_COSTS: string };
  readonly say: (text: string) => void;
}

export const SUITES = {
  unit: {
    what: 'unit, property, conformance and panel tests',
    has: (file: string) => /\.test\.tsx?$/.test(file) && !file.startsWith('e2e/'),
  },
  app: {
    what: 'tests with processes of the built app',
    has: (file: string) => /^e2e\/.*\.test\.ts$/.test(file),
  },
  browser: { what: 'tests in a real browser', has: (file: string) => file.endsWith('.spec.ts') },
} as const;

export type SuiteName = keyof typeof SUITES;

export function isSuite(step: string): step is SuiteName {
  return step in SUITES;
}

/** @returns paths from the root */
export function testFiles(root: string): readonly string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => /\.(test|spec)\.tsx?$/.test(file))
      .map((file) => `${folder}/${file.replaceAll('\\', '/')}`),
  );
}

/** The suites that have some of the files. @param files all files of the suite, or some */
export function suiteSteps(suites: Suites, files: readonly string[]): readonly Step[] {
  const all = testFiles(suites.root);
  return (Object.keys(SUITES) as SuiteName[]).flatMap((name) => {
    const { what, has } = SUITES[name];
    const chosen = files.filter(has);
    if (chosen.length === 0) return [];
    const isWhole = chosen.length === all.filter(has).length;
    const run = (show: Show) => runSuite(suites, name, chosen, isWhole, show);
    return [
      {
        name,
        what: isWhole || chosen.length > 5 ? what : chosen.join(' '),
        ...(name !== 'unit' && { needs: ['build'] }),
        run,
      },
    ];
  });
}

let programs: Promise<void> | undefined;

async function runSuite(suites: Suites, name: SuiteName, files: readonly string[], isWhole: boolean, show: Show) {
  const { root, temporary, environment, say } = suites;
  programs ??= installMissing(ALL_PACKAGES, say);
  await programs;
  const report = join(temporary, `${name}.json`);
  const given = isWhole ? [] : files;
  const bin = (program: string) => join(root, 'node_modules', program);
  const runAt = (args: readonly string[], further: Readonly<Record<string, string>> = {}) =>
    runNode(args, { cwd: root, environment: { ...environment, ...further }, show });
  const isBrowser = name === 'browser';
  const { code, processorSeconds } = isBrowser
    ? await runAt(
        // A filter of Playwright is a regular expression.
        [bin('@playwright/test/cli.js'), 'test', ...given.map(escaped), '--reporter=line,json'],
        {
          ...(await browserPath(say)),
          PLAYWRIGHT_JSON_OUTPUT_NAME: report,
          PLAYWRIGHT_TRANSFORM_CACHE_DIR: bin('.cache/playwright'),
          NODE_COMPILE_CACHE: bin('.cache/node-compile'),
        },
      )
    : await runAt([
        bin('vitest/vitest.mjs'),
        'run',
        ...given,
        ...(name === 'app' ? ['--project=app'] : ['--project=unit', '--project=panels']),
        '--reporter=default',
        '--reporter=json',
        `--outputFile.json=${report}`,
      ]);
  const read = () => {
    if (!existsSync(report)) throw new Error('there is none');
    return (isBrowser ? playwrightReport : vitestReport)(readFileSync(report, 'utf8'), root);
  };
  // The system forgets what a browser used if its parent ended first: the tests noted it.
  const noted = filesOf(readCosts(environment.TEST_COSTS)).filter((cost) => SUITES[name].has(cost.name));
  const notedSeconds = noted.reduce((sum, cost) => sum + cost.processorSeconds, 0);
  return { ...wholeRun(name, code, files, read), processorSeconds: Math.max(processorSeconds, notedSeconds) };
}

function escaped(file: string): string {
  return `${file.replaceAll(/[.()[\]]/g, '\\$&')}$`;
}

async function browserPath(say: (text: string) => void): Promise<Readonly<Record<string, string>>> {
  const chromium = await findChromium(say);
  return chromium === undefined ? {} : { CHROMIUM_PATH: chromium };
}

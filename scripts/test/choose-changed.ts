import { dirname } from 'node:path';
import type { Changed } from './changed-files.ts';
import { reachedFrom, usesOf, withinBudget } from './reach.ts';

/**
 * Of processor time. With types and lint it fits into a minute of two processors, of which neither is idle: measured for a line
 * of `components`, of `lib/server` and of `service`.
 */
const BUDGET_SECONDS = 40;
/** The assumed time of a test file that never ran here. */
const UNKNOWN_SECONDS = 1;
/** How many files the end of a run names. */
const NAMED = 12;

export interface ChangedTests {
  readonly run: readonly string[];
  /** Files that the change reaches, but that would take longer than a minute. */
  readonly left: readonly string[];
  /** Of the browser and of processes of the app: reached, but they need a build. */
  readonly leftSpecs: readonly string[];
}

/**
 * @param secondsOf cost of a file when it ran last, as `knownCosts` has it
 * @param isBuilt the build has the changes
 */
export function chooseChanged(
  root: string,
  { files, deleted, all }: Changed,
  tests: readonly string[],
  secondsOf: (file: string) => number | undefined,
  isBuilt: boolean,
): ChangedTests {
  const changed = [...files, ...deleted];
  const uses = usesOf(root, [...all, ...deleted]);
  const reached = reachedFrom(changed, uses);
  const folders = new Set(changed.map((file) => dirname(file)));
  const withBuild = new Set(specsReachedBy(changed, tests.filter(needsBuild)));
  const distances = new Map<string, number>();
  for (const file of tests) {
    const distance = reached.get(file);
    if (distance === undefined && !withBuild.has(file)) continue;
    // Tests next to a changed file are about it, over whichever way they import it.
    const isNear = distance !== undefined && distance > 1 && folders.has(dirname(file)) && !needsBuild(file);
    distances.set(file, isNear ? 1 : (distance ?? Number.POSITIVE_INFINITY));
  }
  const candidates = new Map([...distances].filter(([file]) => isBuilt || !needsBuild(file)));
  const { run, left } = withinBudget(candidates, (file) => secondsOf(file) ?? UNKNOWN_SECONDS, BUDGET_SECONDS);
  return {
    run,
    left: left.filter((file) => !needsBuild(file)),
    leftSpecs: [...distances.keys()].filter((file) => needsBuild(file) && !run.includes(file)),
  };
}

/** The text that a run prints at its start. */
export function reachText({ run, left, leftSpecs }: ChangedTests): string {
  const reached = run.length + left.length + leftSpecs.length;
  if (reached === 0) return 'no test';
  return run.length === reached
    ? `${count(reached)}, which are run`
    : `${count(reached)}, of which ${run.length} are run`;
}

/** For the end of a run: what it leaves out, and how to run it. */
export function notRunText({ left, leftSpecs }: ChangedTests): readonly string[] {
  const lines: string[] = [];
  if (left.length > 0)
    lines.push(
      `Not run: ${count(left.length)} that the change reaches from farther away, more than fits into a minute:`,
      ...named(left),
      'npm test -- --only unit runs them all.',
    );
  if (leftSpecs.length > 0)
    lines.push(
      `Not run: ${count(leftSpecs.length)} of the browser and the built app. With a build they take more than a minute:`,
      ...leftSpecs.map((file) => `  npm test -- ${file}`),
    );
  lines.push('Not run: the checks walls, unused, browsers and size. npm test runs everything.');
  return [lines.join('\n')];
}

function named(files: readonly string[]): readonly string[] {
  const more = files.length - NAMED;
  return [...files.slice(0, NAMED).map((file) => `  ${file}`), ...(more > 0 ? [`  and ${more} more`] : [])];
}

function count(files: number): string {
  return files === 1 ? '1 test file' : `${files} test files`;
}

function needsBuild(file: string): boolean {
  return file.startsWith('e2e/');
}

/**
 * Which browser and app tests a change reaches. Imports do not tell: these tests start a build. The first row with the start of a
 * path counts; a test is reached if its name has one of the words.
 */
export const SPECS_OF: readonly (readonly [start: string, words: readonly string[]])[] = [
  ['components/(account|sign-in)/', ['people', 'passkeys', 'single-sign-on']],
  ['components/(outputs|overview|receivers)/', ['pages']],
  ['components/(alarms|area|zones)/', ['zones', 'drawing']],
  ['components/(hints|shell|settings|ui|find|my-position)/', ['phone', 'widths']],
  ['components/map/', ['live-map', 'maps', 'marks', 'webgl']],
  ['components/measuring/', ['measuring']],
  ['components/(replay|track-times)/', ['replay']],
  ['lib/client/replay/', ['replay']],
  ['lib/(server/)?zones/', ['zones']],
  ['lib/server/(history|export)/', ['replay']],
  ['lib/server/maps/', ['maps']],
  ['lib/server/(servers|database)/', ['servers']],
  ['lib/server/sign-in/', ['people', 'passkeys', 'single-sign-on', 'secrets']],
  ['lib/front/', ['outside', 'policy', 'starting-and-stopping']],
  ['lib/server/(settings|runtime)', ['starting-and-stopping', 'failures']],
  ['scripts/(serving/|app-server|start)', ['starting-and-stopping']],
  ['(scripts/release|deploy/)', ['release']],
  ['service/', ['live-map', 'replay']],
];

/** The words of a path that no row has. */
export const DEFAULT_WORDS: readonly string[] = ['live-map'];

/** No browser and no process of an app runs it. */
const IN_NO_APP = /\.(test|fixture)\.tsx?$|\.md$|^(docs|testing|bench|ops|e2e|\.ci|scripts\/(test|lint|docs))\b/;

export function specsReachedBy(changed: readonly string[], specs: readonly string[]): readonly string[] {
  const words = changed
    .filter((file) => !IN_NO_APP.test(file))
    .flatMap((file) => SPECS_OF.find(([start]) => new RegExp(`^${start}`).test(file))?.[1] ?? DEFAULT_WORDS);
  return specs.filter((spec) => words.some((word) => spec.slice(spec.lastIndexOf('/')).includes(word)));
}

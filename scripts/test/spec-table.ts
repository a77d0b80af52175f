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

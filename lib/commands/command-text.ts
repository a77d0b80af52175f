/** Programs for administrators: npm runs them in a clone, and a release has a file for each. */
export type Program = 'lookout' | 'operator' | 'backup' | 'restore' | 'map' | 'move' | 'doctor' | 'service';

/** Key of `Symbol.for` on globalThis, which every program of a release sets first. Bundles of Next see it too. */
export const RELEASE_MARK = 'lookout.release';

export function isRelease(): boolean {
  return Symbol.for(RELEASE_MARK) in globalThis;
}

/**
 * A command as it is typed in the folder of this Lookout: `npm run operator -- list` in a clone, `./operator list` in a
 * release. All texts name commands with it.
 */
export function commandText(program: Program, args = ''): string {
  if (isRelease()) return `./${program}${args && ` ${args}`}`;
  return `${program === 'lookout' ? 'npm start' : `npm run ${program}`}${args && ` -- ${args}`}`;
}

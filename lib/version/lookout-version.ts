import manifest from '../../package.json' with { type: 'json' };

/** The version in package.json; a build has its own copy. */
export const LOOKOUT_VERSION: string = manifest.version;

/** Printed for `--version`, and above each help. */
export const VERSION_LINE = `Lookout ${LOOKOUT_VERSION}\n`;

/** Like a program's `--version`, wherever it stands among the arguments. */
export function asksVersion(args: readonly string[]): boolean {
  return args.includes('--version');
}

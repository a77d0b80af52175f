import { commandText } from '#lib/commands/command-text.ts';
import { VERSION_LINE } from '#lib/version/lookout-version.ts';

interface Word {
  readonly what: string;
  /** @param args that follow the word */
  run(args: readonly string[]): Promise<void>;
}

/** The words that Lookout's own command takes. Without one, it starts. */
const WORDS: Readonly<Record<string, Word>> = {
  '--help': {
    what: 'prints this',
    run: async () => void process.stdout.write(VERSION_LINE + usage()),
  },
  '--version': {
    what: 'prints the version',
    run: async () => void process.stdout.write(VERSION_LINE),
  },
  move: {
    what: 'moves everything between SQLite and PostgreSQL; --help after it says how',
    async run() {
      // The program reads its arguments itself.
      process.argv.splice(2, 1);
      await import('../move.ts');
    },
  },
};

/** `./lookout` of a release, and `npm start`. */
export async function lookoutCommand([word, ...args]: readonly string[], start: () => Promise<void>): Promise<void> {
  if (word === undefined) return start();
  const known = Object.hasOwn(WORDS, word) ? WORDS[word] : undefined;
  if (known) return known.run(args);
  process.stderr.write(`${word} is unknown.\n\n${usage()}`);
  process.exitCode = 2;
}

function usage(): string {
  const rows = [
    [commandText('lookout'), 'starts Lookout; settings are environment variables, which docs/settings.md lists'],
    ...Object.entries(WORDS).map(([word, { what }]) => [commandText('lookout', word), what]),
    [commandText('doctor'), 'examines Lookout, and says what to correct'],
    [commandText('operator', '--help'), 'adds, changes and lists operators; prints the audit log'],
    [commandText('backup', 'FOLDER'), 'backs up a running Lookout'],
    [commandText('restore', 'FOLDER'), 'puts a backup back'],
    [commandText('map', '--help'), 'fetches a street map'],
    [commandText('service', '--help'), 'serves positions without the map; shows receivers'],
  ] as const;
  const width = Math.max(...rows.map(([command = '']) => command.length));
  return rows.map(([command = '', what]) => `${command.padEnd(width)}  ${what}\n`).join('');
}

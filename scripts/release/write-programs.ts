import { chmodSync, cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { build, type Plugin } from 'rolldown';
import { type Program, RELEASE_MARK } from '#lib/commands/command-text.ts';

export const PROGRAMS: Readonly<Record<Program, string>> = {
  lookout: 'scripts/release/lookout.ts',
  operator: 'scripts/operator.ts',
  backup: 'scripts/backup.ts',
  restore: 'scripts/restore.ts',
  map: 'scripts/map.ts',
  move: 'scripts/move.ts',
  doctor: 'scripts/doctor.ts',
  service: 'service/cli.ts',
};

/** Writes each program of a release as one command, with the Node that runs it. npm can start them too. */
export async function writePrograms(root: string, folder: string): Promise<void> {
  await build({
    input: Object.fromEntries(Object.entries(PROGRAMS).map(([name, source]) => [name, join(root, source)])),
    cwd: root,
    plugins: [workers()],
    platform: 'node',
    external: [/^next(\/|$)/, 'pino'],
    resolve: { conditionNames: ['react-server', 'node'] },
    output: {
      dir: folder,
      format: 'esm',
      entryFileNames: '[name].mjs',
      chunkFileNames: 'parts/[name]-[hash].mjs',
      banner: `globalThis[Symbol.for('${RELEASE_MARK}')] = true;`,
    },
    logLevel: 'warn',
  });

  mkdirSync(join(folder, 'bin'));
  cpSync(process.execPath, join(folder, 'bin/node'), { dereference: true });
  for (const name of Object.keys(PROGRAMS)) {
    const file = join(folder, name);
    writeFileSync(
      file,
      `#!/bin/sh
# As in a clone: paths of settings start in this folder, paths of arguments in the caller's.
folder="$(dirname "$(readlink -f "$0")")"
[ "$npm_package_json" = "$folder/package.json" ] || INIT_CWD="$PWD"
export INIT_CWD
cd "$folder" && exec bin/node ${name}.mjs "$@"
`,
    );
    chmodSync(file, 0o755);
  }
  const { name, version, type } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Record<
    string,
    string
  >;
  const commands = Object.keys(PROGRAMS).map((program) => [
    program === 'lookout' ? 'start' : program,
    `exec ./${program}`,
  ]);
  writeFileSync(
    join(folder, 'package.json'),
    `${JSON.stringify({ name, version, private: true, type, scripts: Object.fromEntries(commands) }, undefined, 2)}\n`,
  );
}

/** Makes an entry of each module that runs as a worker. */
function workers(): Plugin {
  return {
    name: 'workers',
    transform(code, id) {
      return code.replaceAll(/new URL\('(\.\/[\w-]+\.ts)', import\.meta\.url\)/g, (_, source: string) => {
        const reference = this.emitFile({ type: 'chunk', id: join(dirname(id), source) });
        return `new URL(import.meta.ROLLUP_FILE_URL_${reference})`;
      });
    },
  };
}

// Runs a script of this project on the pinned Node, after installing what is missing. Written for Node 20 or newer,
// without dependencies: on a fresh machine this is the first thing that runs.   node scripts/bootstrap.mjs FILE
// [ARGUMENT…]
import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { constants } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const NEEDED_MAJOR = 24;

const [file, ...args] = process.argv.slice(2);
if (file === undefined) stop('usage: node scripts/bootstrap.mjs FILE [ARGUMENT…]');
if (Number(process.versions.node.split('.')[0]) < 20) {
  stop(`Lookout needs Node 20 or newer to set itself up; this is ${process.version}. See https://nodejs.org.`);
}

installDependencies();
// First: a signal in between would end this process alone.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => node.kill(signal));
// lib/server needs this condition.
const node = spawn(pinnedNode(), ['--conditions=react-server', join(root, file), ...args], {
  // The channel closes even when this process is killed, and its listeners end.
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  cwd: root,
  env: {
    // Compiling is half of the processor time of a start.
    NODE_COMPILE_CACHE: join(root, 'node_modules/.cache/node-compile'),
    ...process.env,
    INIT_CWD: process.env.INIT_CWD ?? process.cwd(),
  },
});
node.on('exit', (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));

/** Once for each state of the lock file. */
function installDependencies() {
  const lock = readFileSync(join(root, 'package-lock.json'));
  const state = createHash('sha256').update(lock).update(`${process.platform}-${process.arch}`).digest('hex');
  const stamp = join(root, 'node_modules', '.lookout-installed');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === state) return;

  process.stderr.write('Installing the packages of package-lock.json (once) …\n');
  const npm = process.env.npm_execpath;
  const command = ['ci', '--include=dev', '--include=optional', '--no-audit', '--no-fund', '--loglevel=error'];
  const { status, error } = npm
    ? spawnSync(process.execPath, [npm, ...command], { cwd: root, stdio: ['ignore', 2, 2] })
    : spawnSync('npm', command, { cwd: root, stdio: ['ignore', 2, 2], shell: process.platform === 'win32' });
  if (status !== 0) stop(`npm ci failed${error ? ` (${error.message})` : ''}; see above.`);
  writeFileSync(stamp, state);
}

/** The one of package.json, or the running one if it is new enough and none is pinned for the platform. */
function pinnedNode() {
  const pinned = join(root, 'node_modules', '.bin', process.platform === 'win32' ? 'node.exe' : 'node');
  if (existsSync(pinned)) return pinned;
  const platformPackage = join(root, 'node_modules', `node-win-${process.arch}`, 'bin', 'node.exe');
  if (existsSync(platformPackage)) return platformPackage;
  if (Number(process.versions.node.split('.')[0]) >= NEEDED_MAJOR) return process.execPath;
  return stop(
    `The packages include no Node ${NEEDED_MAJOR} for ${process.platform}-${process.arch}; this is ${process.version}. ` +
      `Install Node ${NEEDED_MAJOR} or newer (https://nodejs.org) and run this again.`,
  );
}

function stop(message) {
  process.stderr.write(`${message}\n`);
  process.exit(1);
}

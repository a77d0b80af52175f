import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';

export interface SmallDisk {
  /** The folder as other processes reach it. */
  readonly path: string;
  /** Put before a command, runs it with this disk. */
  readonly within: readonly string[];
  fill(): void;
  free(): void;
  makeReadOnly(): void;
  makeWritable(): void;
  remove(): Promise<void>;
}

/** For the title of a skipped test; undefined where one can. */
export const cannotMount: string | undefined =
  spawnSync('unshare', ['-rm', 'mount', '-t', 'tmpfs', 'tmpfs', '/mnt']).status === 0
    ? undefined
    : 'not tried: this machine lets no test mount a disk';

export async function mountSmallDisk(folder: string, bytes: number): Promise<SmallDisk> {
  const mount = `mount -t tmpfs -o size=${bytes},mode=700 tmpfs "$1" && echo mounted && exec sleep infinity`;
  const holder = spawn('unshare', ['-rm', 'sh', '-c', mount, 'sh', folder], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(holder, 'exit');
  await Promise.race([once(holder.stdout, 'data'), ended.then(() => Promise.reject(new Error('no disk was mounted')))]);
  const within = [
    'nsenter',
    `--target=${holder.pid}`,
    '--user',
    '--mount',
    '--preserve-credentials',
    `--wd=${process.cwd()}`,
  ];
  const path = join(`/proc/${holder.pid}/root`, folder);
  const filler = join(path, 'filler');
  const remount = (mode: 'ro' | 'rw') => {
    const [program = '', ...args] = [...within, 'mount', '-o', `remount,${mode}`, folder];
    const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(stderr);
  };
  return {
    path,
    within,
    fill() {
      const descriptor = openSync(filler, 'w');
      try {
        for (;;) writeSync(descriptor, Buffer.alloc(1024, 'x'));
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        closeSync(descriptor);
      }
    },
    free: () => rmSync(filler),
    makeReadOnly: () => remount('ro'),
    makeWritable: () => remount('rw'),
    async remove() {
      holder.kill('SIGKILL');
      await ended;
    },
  };
}

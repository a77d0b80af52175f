import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { writeNginxSite } from '#testing/nginx-site.ts';
import { installedNginx } from '../../scripts/setup/debian-packages.ts';

export interface RunningNginx {
  readonly url: string;
  stop(): Promise<void>;
}

/** @throws Error if it is not installed */
export async function startNginx(folder: string, port: number, ports: readonly number[]): Promise<RunningNginx> {
  const program = installedNginx();
  if (program === undefined) throw new Error('nginx is not installed: apt-get install nginx');
  const file = writeNginxSite({
    folder,
    port,
    servers: ports.map((each) => `server 127.0.0.1:${each} fail_timeout=1s;`),
    main: 'worker_processes 1; events { worker_connections 4096; }',
  });
  const child = spawn(program, ['-c', file, '-e', join(folder, 'nginx.log')], { stdio: 'ignore' });
  process.once('exit', () => child.kill('SIGKILL'));
  return { url: `http://127.0.0.1:${port}`, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

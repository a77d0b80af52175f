import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installedNginx } from '../../scripts/setup/debian-packages.ts';
import { ROOT } from './child-process.ts';

export interface RunningNginx {
  readonly url: string;
  stop(): Promise<void>;
}

/** @throws Error if it is not installed */
export async function startNginx(folder: string, port: number, ports: readonly number[]): Promise<RunningNginx> {
  const program = installedNginx();
  if (program === undefined) throw new Error('nginx is not installed: apt-get install nginx');
  const site = readFileSync(join(ROOT, 'deploy/nginx.conf'), 'utf8')
    .replace('server 127.0.0.1:3000;', ports.map((each) => `server 127.0.0.1:${each} fail_timeout=1s;`).join(' '))
    .replace(/server \{\s+listen 80;[^}]*\}/, '')
    .replace('listen 443 ssl;', `listen 127.0.0.1:${port};`)
    .replaceAll(/^ *ssl_.*$/gm, '');
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map(
    (of) => `${of}_temp_path ${folder}/${of};`,
  );
  const file = join(folder, 'nginx.conf');
  writeFileSync(
    file,
    `daemon off; pid ${folder}/nginx.pid; worker_processes 1; events { worker_connections 4096; }
http { access_log off; ${temporary.join(' ')}
${site}
}
`,
  );
  const child = spawn(program, ['-c', file, '-e', join(folder, 'nginx.log')], { stdio: 'ignore' });
  process.once('exit', () => child.kill('SIGKILL'));
  return { url: `http://127.0.0.1:${port}`, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, renameSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { writeNginxSite } from '#testing/nginx-site.ts';
import { selfSigned } from '#testing/self-signed.ts';
import { installedNginx } from '../../scripts/setup/debian-packages.ts';

export interface NginxPorts {
  readonly port: number;
  /** For TLS at `port`: leads there. */
  readonly plainPort: number | undefined;
}

export interface RunningNginx {
  /** With TLS, the PEM of the certificate for `localhost`. */
  readonly ca: string | undefined;
  stop(): Promise<void>;
}

/** Listens once it resolves. @throws Error if it is not installed, or ends */
export async function startNginx(
  folder: string,
  { port, plainPort }: NginxPorts,
  ports: readonly number[],
): Promise<RunningNginx> {
  const program = installedNginx();
  if (program === undefined) throw new Error('nginx is not installed: apt-get install nginx');
  const tls = plainPort !== undefined;
  if (tls) {
    const { certificateFile, keyFile } = selfSigned(folder, 'DNS:localhost');
    renameSync(keyFile, join(folder, 'lookout.key'));
    renameSync(certificateFile, join(folder, 'lookout.crt'));
  }
  const file = writeNginxSite({
    folder,
    port,
    ...(tls && { plainPort, tls }),
    servers: ports.map((each) => `server 127.0.0.1:${each} fail_timeout=1s;`),
    main: 'worker_processes 1; events { worker_connections 4096; }',
  });
  const child = spawn(program, ['-c', file, '-e', join(folder, 'nginx.log')], { stdio: 'ignore' });
  process.once('exit', () => child.kill('SIGKILL'));
  while (!(await accepts(port))) {
    if (child.exitCode !== null) throw new Error(readFileSync(join(folder, 'nginx.log'), 'utf8'));
    await delay(20);
  }
  return { ca: tls ? readFileSync(join(folder, 'lookout.crt'), 'utf8') : undefined, stop: () => stop(child) };
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

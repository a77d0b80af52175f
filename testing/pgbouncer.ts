import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PostgresTarget } from '#lib/server/database/postgres-target.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { type SharedCluster, serverIdentity } from './postgres-cluster.ts';

export type PoolMode = 'session' | 'transaction' | 'statement';

export interface Pgbouncer {
  /** The pooler in place of the server. */
  through(target: PostgresTarget): PostgresTarget;
  /** Applies to the connections that it has. */
  setMode(mode: PoolMode): void;
  stop(): Promise<void>;
}

/** Debian's, with its defaults except for the mode. */
export async function startPgbouncer({ folder }: SharedCluster, mode: PoolMode): Promise<Pgbouncer> {
  const own = mkdtempSync(join(tmpdir(), 'lookout-pgbouncer-'));
  const [file, users] = [join(own, 'pgbouncer.ini'), join(own, 'users')];
  const port = await freePort();
  const identity = serverIdentity();
  const write = (poolMode: PoolMode) =>
    writeFileSync(
      file,
      `[databases]
      * = host=${folder}
      [pgbouncer]
      listen_addr = 127.0.0.1
      listen_port = ${port}
      unix_socket_dir =
      auth_type = trust
      auth_file = ${users}
      pool_mode = ${poolMode}\n`,
    );
  writeFileSync(users, '"admin" ""\n');
  write(mode);
  // A test before this one may have left a umask under which the pooler could not read its files.
  for (const path of [own, file, users])
    if (identity.uid !== undefined) chownSync(path, identity.uid, identity.gid as number);
  const child = spawn('/usr/sbin/pgbouncer', ['-q', file], { ...identity, stdio: 'ignore' });
  await eventually(async () => {
    const socket = connect(port, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  });
  return {
    through: (target) => ({ ...target, host: '127.0.0.1', port }),
    setMode(changed) {
      write(changed);
      child.kill('SIGHUP');
    },
    async stop() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      rmSync(own, { recursive: true, force: true });
    },
  };
}

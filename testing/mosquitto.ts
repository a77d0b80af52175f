import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectAsync, type IClientOptions, type MqttClient } from 'mqtt';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import type { SelfSigned } from './self-signed.ts';

export interface MosquittoOptions {
  readonly port?: number;
  readonly tls?: SelfSigned;
  /** With the password `right`; default: no user is needed. */
  readonly user?: string;
}

export interface Mosquitto {
  readonly port: number;
  /** As a crash. It keeps nothing. */
  kill(): Promise<void>;
}

export async function startMosquitto({ port, tls, user }: MosquittoOptions = {}): Promise<Mosquitto> {
  const folder = mkdtempSync(join(tmpdir(), 'lookout-mosquitto-'));
  const listens = port ?? (await freePort());
  const passwords = join(folder, 'passwords');
  const lines = [
    `listener ${listens} 127.0.0.1`,
    `allow_anonymous ${user === undefined}`,
    process.getuid?.() === 0 ? 'user root' : '',
    tls ? `certfile ${tls.certificateFile}\nkeyfile ${tls.keyFile}` : '',
    user === undefined ? '' : `password_file ${passwords}`,
  ];
  if (user !== undefined)
    execFileSync('/usr/bin/mosquitto_passwd', ['-b', '-c', passwords, user, 'right'], { stdio: 'ignore' });
  const file = join(folder, 'mosquitto.conf');
  writeFileSync(file, lines.join('\n'));
  const child = spawn('/usr/sbin/mosquitto', ['-c', file], { stdio: 'ignore' });
  await eventually(async () => {
    const socket = connect(listens, '127.0.0.1');
    await once(socket, 'connect');
    socket.destroy();
  });
  return {
    port: listens,
    async kill() {
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface Subscriber {
  /** The last payload of each topic; an empty one removes it. */
  readonly retained: ReadonlyMap<string, string>;
  /** In order, as `topic payload`. */
  readonly received: readonly string[];
  end(): Promise<void>;
}

/** To everything. */
export async function subscribeAll(port: number, options: IClientOptions = {}): Promise<Subscriber> {
  const client: MqttClient = await connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 0, ...options });
  const retained = new Map<string, string>();
  const received: string[] = [];
  client.on('message', (topic, payload) => {
    received.push(`${topic} ${payload.toString()}`);
    if (payload.length === 0) retained.delete(topic);
    else retained.set(topic, payload.toString());
  });
  await client.subscribeAsync('#', { qos: 1 });
  return { retained, received, end: () => client.endAsync(true) };
}

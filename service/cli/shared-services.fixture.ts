import { copyFileSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { WirePosition } from '#lib/contract/wire-position.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import type { Cluster } from '../postgres/postgres-cluster.fixture.ts';
import { runCommand } from './run-command.ts';
import { endProcesses, run } from './service-process.fixture.ts';

/** Services on machines of their own over one database, and who asks them. */
export class SharedServices {
  readonly cluster: Cluster;
  readonly target: ReturnType<Cluster['target']>;
  readonly folder = mkdtempSync(join(tmpdir(), 'shared-services-'));

  constructor(cluster: Cluster) {
    this.cluster = cluster;
    this.target = cluster.target();
  }

  remove(): void {
    endProcesses();
    rmSync(this.folder, { recursive: true, maxRetries: 5, retryDelay: 50 });
  }

  async command(...words: readonly string[]) {
    const { database, host, user } = this.target;
    const store = ['--store', `postgres:///${database}?host=${host}&user=${user}`, '--json'];
    const result = await runCommand([...words, ...store], upstreamInstant(Date.now()));
    if (!result?.ok) throw new Error(result?.problems.join('\n') ?? 'no such command');
    return JSON.parse(result.output);
  }

  async makeKey(): Promise<string> {
    await this.command('account', 'add', 'A', '--allowance', '100000,1000000');
    const scopes = 'adsb.live,adsb.history,rid.live,rid.history';
    await this.command('grant', 'approve', '--account', 'A', '--lookback', '1', '--scopes', scopes);
    return (await this.command('key', 'create', '--account', 'A', '--name', 'N')).api_key;
  }

  dataOf(machine: string): string {
    return join(this.folder, machine);
  }

  /** A service on a machine of its own, which has the secret of the machine `one`. */
  serve(machine: string, ...options: readonly string[]) {
    const { database, host, user } = this.target;
    mkdirSync(this.dataOf(machine), { mode: 0o700 });
    const secret = join(this.dataOf('one'), 'reference-secret');
    if (machine !== 'one') copyFileSync(secret, join(this.dataOf(machine), 'reference-secret'));
    const store = ['--store', `postgres:///${database}?host=${host}&user=${user}`];
    return run(['serve', '--port', '0', '--data', this.dataOf(machine), ...store, ...options]);
  }
}

/** What a service answers. */
export async function askService(url: string, key: string, path: string) {
  const answer = await fetch(`${url}${path}`, { headers: { authorization: `Bearer ${key}` } });
  const body = await answer.json();
  return { status: answer.status, code: body.error?.code, data: body.data as readonly WirePosition[] };
}

/** Of the aircraft or drones that the fixtures move. */
export async function askHistory(url: string, key: string, start: number, end: number, layer = 'adsb') {
  const window = `start=${new Date(start).toISOString()}&end=${new Date(end).toISOString()}`;
  const { status, data } = await askService(url, key, `/history/${layer}?bbox=7,46,12,50&limit=1000&${window}`);
  expect(status).toBe(200);
  return data;
}

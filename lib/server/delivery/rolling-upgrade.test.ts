import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterEach, expect, test } from 'vitest';
import { eventually } from '#testing/eventually.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import type { Database } from '../database/database.ts';
import { MIGRATIONS } from '../database/migrations/migrations.ts';
import { type DatabaseTarget, schemaOf } from '../database/schema.ts';
import { Receiver } from './receiver.fixture.ts';
import { RunningDelivery } from './running-delivery.fixture.ts';

const FILE = fileURLToPath(new URL('./rolling-upgrade.fixture.ts', import.meta.url));

const started = new Set<ChildProcess>();
afterEach(() => {
  for (const child of started) child.kill('SIGKILL');
  started.clear();
});

class Server {
  readonly #child: ChildProcess;
  readonly ended: Promise<unknown>;
  #output = '';
  #errors = '';

  constructor(...args: readonly string[]) {
    this.#child = spawn(process.execPath, ['--conditions=react-server', FILE, ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    started.add(this.#child);
    this.ended = once(this.#child, 'exit');
    this.#child.stdout?.on('data', (text: Buffer) => (this.#output += text.toString()));
    this.#child.stderr?.on('data', (text: Buffer) => (this.#errors += text.toString()));
  }

  get said(): readonly string[] {
    return this.#output.trim().split('\n');
  }

  async says(word: string): Promise<void> {
    await eventually(() => {
      if (this.#child.exitCode !== null) throw new Error(`it ended: ${this.#errors}`);
      expect(this.said).toContain(word);
    });
  }

  signal(signal: 'SIGTERM' | 'SIGUSR1' | 'SIGCONT' | 'SIGKILL'): void {
    this.#child.kill(signal);
  }

  /** @throws Error if it ended by itself, or badly */
  async end(): Promise<void> {
    this.signal('SIGTERM');
    await this.ended;
    if (this.#child.exitCode !== 0) throw new Error(`it ended badly: ${this.#errors}`);
  }
}

describeDatabases('an upgrade from one version of the schema to the next', ({ dialect, newTarget, open }) => {
  async function begun() {
    const target = newTarget();
    const receiver = await Receiver.open();
    const database = await open(target);
    const running = new RunningDelivery(database);
    const { id } = await running.addWebhook(receiver.url);
    const { zone } = await running.addZone({ notify: [id] });
    await running.close();
    const serve = (name: string, version: 'this' | 'next') =>
      new Server(JSON.stringify(target), name, version, zone.id, zone.rules[0]?.id ?? '');
    const more = async () => {
      const { length } = receiver.events;
      await eventually(() => expect(receiver.events.length).toBeGreaterThan(length + 5));
    };
    return { target, receiver, database, serve, more };
  }

  async function expectNoneLost(target: DatabaseTarget, receiver: Receiver): Promise<void> {
    const next = [...MIGRATIONS, { name: '9999-next', statements: () => [] }];
    expect(await schemaOf(target, next)).toMatchObject({ version: '9999-next' });
    const { alarms, waiting } = await counts(target);
    const arrived = Map.groupBy(receiver.events, ({ data }) => data.alarms[0].id as string);
    const ids = [...arrived.values()].map((events) => new Set(events.map((event) => event.id)).size);
    expect({ alarms: arrived.size, waiting, mostIds: Math.max(...ids) }).toEqual({ alarms, waiting: 0, mostIds: 1 });
  }

  async function counts(target: DatabaseTarget) {
    const database: Database = await open(target, {
      migrations: [
        ...MIGRATIONS,
        {
          name: '9999-next',
          statements: ({ text, end }) => [
            `create table next_thing (id ${text} primary key) ${end}`,
            `alter table view add column colour ${text}`,
          ],
        },
      ],
    });
    const alarms = await database.query.selectFrom('alarm').select('id').execute();
    const deliveries = await database.query.selectFrom('delivery').select('state').execute();
    return { alarms: alarms.length, waiting: deliveries.filter(({ state }) => state !== 'arrived').length };
  }

  test.runIf(dialect === 'sqlite')('loses no notice, also when the server before was killed', async () => {
    for (const ending of ['SIGTERM', 'SIGKILL'] as const) {
      const { target, receiver, database, serve, more } = await begun();
      await database.close();
      const before = serve('lookout', 'this');
      await more();
      before.signal(ending);
      await before.ended;
      const after = serve('lookout', 'next');
      await more();
      expect(after.said).toEqual(['migrates', 'open', 'writer']);
      await after.end();
      receiver.close();
      await expectNoneLost(target, receiver);
    }
  });

  test.runIf(dialect === 'postgres')(
    'loses no notice: the next version waits for the servers before it, and one that only slept does not go on',
    async () => {
      const { target, receiver, serve, more } = await begun();
      const [one, two] = [serve('one', 'this'), serve('two', 'this')];
      await Promise.all([one.says('open'), two.says('open')]);
      await more();
      await one.end();
      const [three, four] = [serve('three', 'next'), serve('four', 'next')];
      await Promise.all([three.says('waits'), four.says('waits')]);
      await two.says('writer');
      await more();
      two.signal('SIGUSR1');
      await Promise.all([three.says('open'), four.says('open')]);
      expect([three, four].filter(({ said }) => said.includes('migrates'))).toHaveLength(1);
      await more();
      two.signal('SIGCONT');
      await two.says('stopped by other-schema');
      await more();
      await two.end();
      await three.end();
      await four.says('writer');
      await more();
      await four.end();
      receiver.close();
      await expectNoneLost(target, receiver);
    },
  );
});

import { sql } from 'kysely';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '#testing/eventually.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import { DatabaseFailure } from '../database/database-failure.ts';
import { strictSupervisor } from '../supervision/supervisor.fixture.ts';
import { type OperatorEntry, Operators, operatorNamePattern, readOperators } from './operators.ts';

const hashOf = (letter: string) => `$argon2id$v=19$m=19456,t=2,p=1$${letter.repeat(22)}$${letter.repeat(43)}`;
const anna: OperatorEntry = { name: 'anna', role: 'admin', password: hashOf('A'), passkeys: [] };
const key = {
  id: 'aWQ',
  public_key: 'a2V5',
  name: 'blue key',
  transports: ['usb', 'nfc'],
  added_at: '2026-11-01T00:00:00.000Z',
};
const bela: OperatorEntry = {
  name: 'Bela',
  role: 'viewer',
  password: hashOf('B'),
  initial_until: '2026-11-22T12:00:00.000Z',
  passkeys: [key, { ...key, id: 'x'.repeat(2048), name: 'long', added_at: '2026-11-02T00:00:00.000Z' }],
};

describeDatabases('operators', ({ dialect, newTarget, open, testOnce }) => {
  let opened: Operators[] = [];
  afterEach(async () => {
    await Promise.all(opened.map((operators) => operators.close()));
    opened = [];
  });
  async function two() {
    const target = newTarget();
    const databases = [await open(target), await open(target)] as const;
    const [one, other] = [
      await Operators.open(databases[0], strictSupervisor().part('operators')),
      await Operators.open(databases[1], strictSupervisor().part('operators')),
    ];
    opened.push(one, other);
    return { databases, one, other };
  }

  test('are kept whole, and are there after a restart', async () => {
    const { databases, one } = await two();
    await one.change(() => [anna, bela]);
    const again = await Operators.open(databases[1], strictSupervisor().part('operators'));
    opened.push(again);
    expect(again.find('anna')).toEqual(anna);
    expect(again.find('Bela')).toEqual(bela);
    expect(again.all()).toHaveLength(2);
  });

  test('are known at another server within a second of a change', async () => {
    const { one, other } = await two();
    await one.change(() => [anna, bela]);
    await eventually(() => expect(other.find('Bela')).toEqual(bela));
    await one.change((before) => before.filter(({ name }) => name !== 'Bela'));
    expect(one.find('Bela')).toBeUndefined();
    await eventually(() => expect(other.find('Bela')).toBeUndefined());
    expect(other.find('anna')).toEqual(anna);
  });

  test.runIf(dialect === 'sqlite')('are known at once to what waits for another process’s change', async () => {
    const { one, other } = await two();
    for (const operators of [[anna], [bela, anna], []]) {
      await one.change(() => operators);
      await other.caughtUp();
      expect(other.all()).toEqual(operators);
    }
  });

  test('are loaded again after a load that failed', async () => {
    const { databases, one } = await two();
    const [, elsewhere] = databases;
    await one.change(() => [anna, bela]);
    const change = (statement: string) => sql.raw(statement).execute(elsewhere.query);
    await change('alter table operator rename to moved_away');
    await elsewhere.change((query) => elsewhere.notify(query, 'operator'));
    await expect(readOperators(elsewhere.query)).rejects.toThrow(DatabaseFailure);
    expect(one.find('Bela')).toEqual(bela);
    await change(`delete from moved_away where name = 'Bela'`);
    await change('alter table moved_away rename to operator');
    await eventually(() => expect(one.find('Bela')).toBeUndefined());
  });

  test('keep what each of several changes at the same time makes', async () => {
    const { one, other } = await two();
    const add = (name: string, index: number) =>
      (index % 2 ? one : other).change((before) => [...before, { name, role: 'viewer', passkeys: [] }]);
    await Promise.all(Array.from({ length: 8 }, (_, index) => add(`name ${index}`, index)));
    await one.change((before) => [...before]);
    expect(one.all()).toHaveLength(8);
  });

  testOnce('are unchanged by a change that throws, or that is not valid', async () => {
    const { one } = await two();
    await one.change(() => [anna]);
    const refuse = () => {
      throw new Error('no');
    };
    await expect(one.change(refuse)).rejects.toThrow('no');
    for (const wrong of [
      { ...anna, name: '<b>' },
      { ...anna, password: 'in the clear' },
      { ...anna, role: 'root' as 'admin' },
    ])
      await expect(one.change(() => [wrong])).rejects.toThrow();
    await expect(one.change(() => [anna, bela, bela])).rejects.toThrow();
    const passkeys = [key];
    const shared = [anna, { ...bela, passkeys }].map((entry) => ({ ...entry, passkeys }));
    await expect(
      one.change(() => shared),
      'a passkey of two',
    ).rejects.toThrow();
    expect(one.all()).toEqual([anna]);
  });

  testOnce('are found without a statement', async () => {
    const { databases, one } = await two();
    await one.change(() => [anna]);
    await sql`alter table operator rename to moved_away`.execute(databases[0].query);
    expect(one.find('anna')).toEqual(anna);
  });

  testOnce('have no names that every object inherits', async () => {
    const { one } = await two();
    await one.change(() => [anna]);
    for (const name of ['__proto__', 'constructor', 'toString', 'ANNA']) expect(one.find(name)).toBeUndefined();
  });
});

describe('a name', () => {
  test.each(['', ' anna', 'an\nna', 'a\u0000', '<script>', 'a'.repeat(65), '-anna', 'anna\u202egnp'])(
    '%j is not safe on a screen and in a log',
    (name) => {
      expect(operatorNamePattern.test(name)).toBe(false);
    },
  );
});

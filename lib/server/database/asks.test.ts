import { expect, test } from 'vitest';
import * as z from 'zod/mini';
import { eventually } from '#testing/eventually.ts';
import { describePostgres } from '#testing/test-databases.ts';
import { Asks } from './asks.ts';

describePostgres('what a server asks of the others', (databases) => {
  test('is read from its row, answered by one server, and known to the one that asked', async () => {
    const target = databases.newTarget();
    const all = [await databases.open(target), await databases.open(target), await databases.open(target)];
    const asks = all.map((database) => new Asks(database, 'seek', z.string()));
    const looks = [0, 0, 0];
    for (const [index, each] of asks.entries()) each.onChange(() => looks[index]!++);
    const [one, two, three] = asks;
    const before = looks[1]!;
    await one!.ask('body', 'id');
    await eventually(() => expect(looks[1]).toBeGreaterThan(before));
    expect(await two!.open()).toEqual([{ id: 'id', body: 'body' }]);
    expect(await one!.answered(['id'])).toEqual([]);
    expect([await two!.answer('id'), await three!.answer('id')]).toEqual([true, false]);
    expect([await one!.answered(['id']), await three!.open()]).toEqual([['id'], []]);
  });

  test('is nothing without its row, and a row of another form is left out', async () => {
    const database = await databases.open();
    const asks = new Asks(database, 'seek', z.enum(['a']));
    await database.notify(database.query, 'seek', '');
    expect(await asks.open()).toEqual([]);
    await new Asks(database, 'seek', z.string()).ask('b');
    await new Asks(database, 'retry', z.string()).ask('a');
    const row = { id: 'x', topic: 'seek', body: 'no JSON', answered: 0 } as const;
    await database.query
      .insertInto('server_ask')
      .values({ ...row, asked_ms: Date.now() })
      .execute();
    expect(await asks.open()).toEqual([]);
  });
});

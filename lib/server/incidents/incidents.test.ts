import { expect, test } from 'vitest';
import { KEPT_MAX } from '#lib/api/watching/incidents.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import { ALONE } from '../zones/zone-rows.ts';
import { ClosingWorld } from './closing-world.fixture.ts';

describeDatabases('incidents', ({ open, newTarget }) => {
  test.each([
    ['more than 1,000 positions: choose a smaller area', { positions: 1000 }],
    ['more than 0.01 MB: choose a smaller area', { bytes: 10_000 }],
    ['It ran for over 0.5 hours: set its end first.', { hours: 0.5 }],
  ])('of more than may be kept are refused with the words “%s”', async (words, bound) => {
    const world = new ClosingWorld(await open(newTarget()), { ...KEPT_MAX, ...bound });
    const id = await world.open(60);
    await expect(world.close(id)).rejects.toThrow(words);
    expect(await world.states()).toEqual({ open: 1 });
    expect(await world.abandoned()).toBe(0);
  });

  test('are not sealed without a note that was written meanwhile', async () => {
    const world = new ClosingWorld(await open(newTarget()));
    const id = await world.open(10);
    await world.close(id);
    const { to } = await world.desk.store.one(id);
    const note = { kind: 'call', text: 'Police', at: to ?? '', place: null, corrects: null } as const;
    world.whileSealing = () => world.desk.store.addNote(ALONE, id, note);
    await expect(world.seal(id)).rejects.toThrow('A note was written meanwhile');
    expect([await world.states(), await world.abandoned()]).toEqual([{ closed: 1 }, 0]);
    world.whileSealing = async () => undefined;
    await world.seal(id);
    await expect(world.desk.store.addNote(ALONE, id, note)).rejects.toThrow('is sealed');
    expect(await world.states()).toEqual({ sealed: 1 });
  });

  test('are closed and sealed once, and deleted with their pieces', async () => {
    const world = new ClosingWorld(await open(newTarget()));
    const id = await world.open(10);
    const twice = async (run: () => Promise<void>) => {
      const results = await Promise.allSettled([run(), run()]);
      return results.map(({ status }) => status).sort();
    };
    expect(await twice(() => world.close(id))).toEqual(['fulfilled', 'rejected']);
    expect(await twice(() => world.seal(id))).toEqual(['fulfilled', 'rejected']);
    expect([await world.states(), await world.abandoned()]).toEqual([{ sealed: 1 }, 0]);
    await world.desk.remove(id);
    expect([await world.states(), await world.pieces()]).toEqual([{}, 0]);
  });
});

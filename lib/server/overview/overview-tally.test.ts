import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { HEIGHT_UNKNOWN } from '#lib/model/height-band.ts';
import type { Reception } from '#lib/model/reception.ts';
import { addMs } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS } from '#lib/time/time-units.ts';
import { SwitchableLease } from '#testing/switchable-lease.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import { OverviewAnswers } from './overview-answers.ts';
import { OverviewStore } from './overview-store.ts';
import { STEP_S, TalliedWorld, TRACKS, WORLD_BOX, WORLD_START } from './tallied-world.fixture.ts';

/** The step before the first one is received with it. */
const positionsOf = (steps: number) => TRACKS * (steps + 1);

describeDatabases('the tally of the overview', (databases) => {
  const { dialect, open, newTarget, testOnce } = databases;

  test('counts each position and each second once over restarts', async () => {
    const target = newTarget();
    const lease = new SwitchableLease(0);
    let world = new TalliedWorld(await open(target), lease);
    await world.tally.write();
    for (let step = 0; step < 60; step++) {
      world.read(step);
      if (step % 20 !== 19) continue;
      await world.tally.close();
      world = new TalliedWorld(await open(target), lease, step);
      await world.tally.write();
      world.read(step);
    }
    await world.tally.write();
    const hour = await world.hour();
    expect(hour).toMatchObject({ positions: positionsOf(60) - TRACKS, references: TRACKS, late: 0, partly_s: 0 });
    expect(hour?.watched_s).toBe(59 * STEP_S);
    // The hour before has the positions.
    expect(await world.hour(-1)).toMatchObject({ positions: TRACKS, watched_s: 0 });
    await world.tally.close();
  });

  test('answers cells by height band, with an hour that is watched and has nothing, and one that is not watched', async () => {
    const world = new TalliedWorld(await open(), new SwitchableLease(0));
    await world.tally.write();
    for (let step = 0; step < 40; step++) world.read(step);
    await world.tally.write();
    const window = { start: WORLD_START, end: addMs(WORLD_START, 2 * HOUR_MS) };
    const all = await world.answers.coverage({ layer: 'rid', ...window });
    expect(all).toMatchObject({ bbox: [8, 47, 9, 48], cell_deg: 1 / 128, references_sampled: 1, watched_cut: false });
    const sum = (values: readonly number[]) => values.reduce((total, each) => total + each, 0);
    expect(sum(all.cells.positions)).toBe(TRACKS * 40);
    expect(new Set(all.cells.watched_s)).toEqual(new Set([39 * STEP_S]));
    expect(all.cells.column).toHaveLength(128 * 128);
    const unknown = await world.answers.coverage({ layer: 'rid', band: HEIGHT_UNKNOWN, bbox: WORLD_BOX, ...window });
    expect(sum(unknown.cells.positions)).toBe(40);
    const nothing = { west: 8.8, south: 47.8, east: 8.9, north: 47.9 };
    const { layers } = await world.answers.hours(window, nothing);
    expect(layers.map(({ hours }) => hours.map((hour) => [hour.positions, hour.watched_s]))).toEqual([
      [
        [0, 39 * STEP_S],
        [0, 0],
      ],
      [
        [0, 0],
        [0, 0],
      ],
    ]);
    await world.tally.close();
  });

  testOnce('counts no time in which all receivers were down, also where they are missed later', async () => {
    const database = await open();
    const lease = new SwitchableLease(0);
    let world = new TalliedWorld(database, lease);
    await world.tally.write();
    const at = (step: number) => addMs(WORLD_START, step * STEP_S * 1000);
    const reception = (state: Reception['state'], sinceStep?: number): Reception => ({
      state,
      since: sinceStep === undefined ? undefined : at(sinceStep),
      receivers: 3,
      receiving: 0,
    });
    for (let step = 0; step <= 20; step++) world.read(step, reception('ok'));
    await world.tally.write();
    for (let step = 21; step <= 40; step++) world.read(step, reception('lost', 18));
    await world.tally.close();
    world = new TalliedWorld(database, lease, 40);
    await world.tally.write();
    for (let step = 41; step <= 45; step++) world.read(step, reception('lost', 18));
    for (let step = 46; step <= 60; step++) world.read(step, reception('ok', 45.5));
    for (let step = 61; step <= 70; step++) world.read(step, reception('partly', 58));
    await world.tally.write();
    expect(await world.hour()).toMatchObject({
      watched_s: Math.round((18 + 12.5) * STEP_S),
      partly_s: 12 * STEP_S,
    });
    await world.tally.close();
  });

  testOnce('counts by place how far receivers delivered', async () => {
    const database = await open();
    const world = new TalliedWorld(database, new SwitchableLease(0));
    await world.tally.write();
    const reception = (state: Reception['state']) => ({ state, since: undefined, receivers: 3, receiving: 2 });
    const places = [
      { ...reception('ok'), bbox: { west: 0, south: 40, east: 8.51, north: 60 } },
      { ...reception('partly'), bbox: { west: 8.51, south: 40, east: 20, north: 60 } },
    ];
    for (let step = 0; step <= 20; step++) world.read(step, { ...reception('partly'), places });
    await world.tally.write();
    const counted = { watched_s: 20 * STEP_S, partly_s: 0 };
    expect(await world.hour(0, { ...WORLD_BOX, east: 8.5 })).toMatchObject(counted);
    expect(await world.hour(0, { ...WORLD_BOX, west: 8.53 })).toMatchObject({ watched_s: 0, partly_s: 20 * STEP_S });
    await world.tally.close();
  });

  testOnce('closes hours, keeps no reference, and forgets what is older than 31 days', async () => {
    const database = await open();
    const world = new TalliedWorld(database, new SwitchableLease(0));
    await world.tally.write();
    const rows = () =>
      database.query.selectFrom('overview_hour').select(['hour_ms', 'open_references']).orderBy('hour_ms').execute();
    world.read(0);
    world.read(1);
    await world.tally.write();
    expect((await rows()).map(({ open_references }) => open_references !== null)).toEqual([true, true]);
    world.read((HOUR_MS + HOUR_MS / 10) / (STEP_S * 1000));
    await world.tally.write();
    expect((await rows()).map(({ open_references }) => open_references !== null)).toEqual([false, false, true]);
    world.read((31 * DAY_MS + 2 * HOUR_MS) / (STEP_S * 1000));
    await world.tally.write();
    expect(await rows()).toHaveLength(2);
    await world.tally.close();
  });

  testOnce('reads a closed hour once for each question, and an open one each time', async () => {
    const database = await open();
    const world = new TalliedWorld(database, new SwitchableLease(0));
    await world.tally.write();
    world.read(0);
    world.read(1);
    const later = (HOUR_MS + HOUR_MS / 10) / (STEP_S * 1000);
    world.read(later);
    await world.tally.write();
    const window = { start: addMs(WORLD_START, -HOUR_MS), end: addMs(WORLD_START, 2 * HOUR_MS) };
    const ask = async (answers: Pick<OverviewAnswers, 'coverage' | 'hours'> = world.answers) => {
      const { cells } = await answers.coverage({ layer: 'rid', ...window });
      const { layers } = await answers.hours(window, WORLD_BOX);
      return {
        cells: cells.positions.reduce((sum, each) => sum + each, 0),
        watched: cells.watched_s,
        hours: layers[0]?.hours,
      };
    };
    await ask();
    world.read(later + 1);
    await world.tally.write();
    const fresh = await ask(new OverviewAnswers(new OverviewStore(database), () => addMs(WORLD_START, 2 * HOUR_MS)));
    expect(fresh.hours?.map(({ positions }) => positions)).toEqual([TRACKS, 2 * TRACKS, 3 * TRACKS]);
    const closed = database.query.updateTable('overview_hour').where('open_references', 'is', null);
    await closed.set({ body: new Uint8Array([1]) }).execute();
    expect(await ask()).toEqual(fresh);
    // Its sum is not the one that is kept.
    expect(await ask()).toEqual(fresh);
    await expect(
      world.answers.coverage({ layer: 'rid', bbox: { ...WORLD_BOX, west: 8.1 }, ...window }),
    ).rejects.toThrow();
    await world.tally.close();
  });

  testOnce('is no longer read once its client has gone', async () => {
    const world = new TalliedWorld(await open(), new SwitchableLease(0));
    await world.tally.write();
    world.read(0);
    await world.tally.write();
    const gone = AbortSignal.abort();
    const window = { start: WORLD_START, end: addMs(WORLD_START, HOUR_MS) };
    await expect(world.answers.hours(window, WORLD_BOX, gone)).rejects.toThrow('aborted');
    await expect(world.answers.coverage({ layer: 'rid', ...window }, gone)).rejects.toThrow('aborted');
    await world.tally.close();
  });

  test.runIf(dialect === 'postgres')(
    'goes on at another server, and the writer before writes nothing more',
    async () => {
      const target = newTarget();
      const setFence = async (fence: number) =>
        void (await sql`update writer set fence = ${fence}`.execute((await open(target)).query));
      const [first, second] = [new SwitchableLease(0), new SwitchableLease(undefined)];
      const old = new TalliedWorld(await open(target), first);
      const next = new TalliedWorld(await open(target), second);
      await old.tally.write();
      for (let step = 0; step < 10; step++) old.read(step);
      await old.tally.write();
      old.read(10);
      await setFence(1);
      second.fence = 1;
      await next.tally.write();
      await old.tally.write();
      for (let step = 10; step < 20; step++) {
        old.read(step);
        next.read(step);
      }
      await next.tally.write();
      await old.tally.write();
      expect(await next.hour()).toMatchObject({ positions: TRACKS * 20, watched_s: 18 * STEP_S });
      await old.tally.close();
      await next.tally.close();
    },
  );
});

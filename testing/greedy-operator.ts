import type { Bbox } from '#lib/geo/bbox.ts';
import { type Dice, makeDice } from '#lib/random/dice.fixture.ts';
import type { ViewerPage } from '#lib/server/live/plan/demand.ts';
import type { Allowance } from '#service/accounts/account.ts';
import { startLiveHarness } from './live-harness.ts';

/** Operators of one account, from noon on. */
export interface Sharing {
  readonly allowance: Allowance;
  readonly durationMs: number;
  readonly stepMs: number;
  /** Look at one place each, and sometimes move. */
  readonly others: number;
  readonly othersMoveEveryMs: number;
  /** New places of one more operator at each step. 0 for no such operator. */
  readonly opened: number;
  /** Of these pages, those that keep polling. */
  readonly kept?: number;
}

export interface SharedFigures {
  readonly othersAgeMs: number;
  /** And how many were not in the first answer. */
  readonly othersPlaces: number;
  readonly othersDelayed: number;
  /** First answer to one of the others that the allowance limited. */
  readonly limitedAfterMs: number | undefined;
  readonly opened: number;
  readonly openedWaiting: number;
  readonly announcedWrongly: number;
  readonly requests: number;
  readonly refused: number;
}

/** On a clock that runs as fast as it can. */
export async function shareAccount(sharing: Sharing): Promise<SharedFigures> {
  const { allowance, durationMs, stepMs, others, othersMoveEveryMs, opened, kept = 0 } = sharing;
  const live = await startLiveHarness({ allowance });
  const dice = makeDice(1);
  const greedyDice = makeDice(2);
  const places = Array.from({ length: others }, () => somewhere(dice));
  const own: { readonly viewer: ViewerPage; readonly place: Bbox; announcedMs: number | undefined }[] = [];
  const ages = { sumMs: 0, count: 0 };
  const figures = { othersPlaces: 0, othersDelayed: 0, opened: 0, openedWaiting: 0, announcedWrongly: 0 };
  let limitedAfterMs: number | undefined;

  async function readPlace(index: number, place: Bbox, isNew: boolean, atMs: number): Promise<void> {
    const viewer = { operator: `other-${index}`, session: `other-${index}`, page: 'map' };
    const { as_of, layers } = await live.reader.read(viewer, place, ['rid', 'adsb']);
    for (const layer of [layers.rid, layers.adsb]) {
      if (layer?.state === 'limited') limitedAfterMs ??= atMs;
      if (isNew) figures.othersPlaces++;
      if (isNew && !layer?.fetched_at) figures.othersDelayed++;
      if (!layer?.fetched_at) continue;
      ages.sumMs += Date.parse(as_of) - Date.parse(layer.fetched_at);
      ages.count++;
    }
  }

  try {
    for (let atMs = 0; atMs < durationMs; atMs += stepMs) {
      for (let each = 0; each < opened; each++) {
        const viewer = { operator: 'greedy', session: 'greedy', page: `${figures.opened++}` };
        own.push({ viewer, place: somewhere(greedyDice), announcedMs: undefined });
      }
      own.splice(0, own.length - Math.max(opened, kept));
      await live.scheduler.tick();
      for (const page of own) {
        const { as_of, layers } = await live.reader.read(page.viewer, page.place, ['rid', 'adsb']);
        const waiting = [layers.rid, layers.adsb].filter((layer) => layer?.reason === 'waits_its_turn');
        if (waiting.length > 0 && page.announcedMs !== undefined && Date.parse(as_of) > page.announcedMs)
          figures.announcedWrongly++;
        if (waiting.length > 0 && page.announcedMs === undefined) figures.openedWaiting++;
        if (waiting.length > 0) page.announcedMs = Math.max(...waiting.map((layer) => Date.parse(layer?.until ?? '')));
      }
      for (const [index, place] of places.entries()) {
        const isNew = (atMs + (index * othersMoveEveryMs) / others) % othersMoveEveryMs < stepMs;
        const shown = isNew ? somewhere(dice) : place;
        places[index] = shown;
        await readPlace(index, shown, isNew, atMs);
      }
      await live.scheduler.tick();
      await live.scheduler.idle();
      live.moveClock(stepMs);
    }
    return {
      ...figures,
      limitedAfterMs,
      othersAgeMs: ages.sumMs / ages.count,
      requests: live.service.requests().length,
      refused: live.logged.filter((line) => line.includes('"status":429')).length,
    };
  } finally {
    await live.close();
  }
}

function somewhere(dice: Dice): Bbox {
  const [west, south] = [dice.between(-170, 165), dice.between(-60, 60)];
  return { west, south, east: west + 1.6, north: south + 1 };
}

import { expect, type Page } from '@playwright/test';
import type { Layer, Position } from '#lib/model/position.ts';
import { toPosition } from '#lib/server/upstream/to-position.ts';
import { formatInstant, upstreamInstant } from '#lib/time/instant.ts';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '#lib/time/time-units.ts';
import { cacheReferences } from '#service/references/reference-cache.ts';
import { makeSimulator } from '#service/sources/simulator/simulator.ts';
import { wireRecord } from '#service/wire/wire-record.ts';
import { FilterPanel } from '../e2e/driver/filter-panel.ts';
import { ReplayDock } from '../e2e/driver/replay-dock.ts';
import { TrackPanel } from '../e2e/driver/track-panel.ts';
import { feedLive } from './fed-live.ts';
import { type HeapUse, PageHeap } from './page-heap.ts';
import { openPage } from './running-page.ts';

const GOAL_MB = 5;
const HOURS = Number(process.env.TAB_HOURS ?? 24);
const POLL_MS = Number(process.env.TAB_POLL_S ?? 5) * SECOND_MS;
/** The page's interval between polls is shorter by this: it asks again as soon as it has an answer. */
const HASTE = 500;
/** Trails have by then as many positions as a page keeps, and everything was opened once. */
const WARM_UP_HOURS = Math.min(2, HOURS / 4);
const ACT_EVERY_ANSWERS = (30 * MINUTE_MS) / POLL_MS;
/** In acts of the operator. */
const REPLAY_EVERY = 4;
const TRAFFIC = { seed: 24, aircraft: 600, drones: 60 };
/** An hour of it is some fifty requests. */
const REPLAYED_TRAFFIC = { seed: 25, aircraft: 60, drones: 6 };
/** A track that is seen for longer has another reference then. */
const REFERENCE_PERIOD_MS = HOUR_MS;
/** Of true time. */
const PLAYED_MS = 1500;
/** What the page shows of it, and a little more. */
const AREA = { west: 3, south: 44, east: 13.5, north: 49.5 };
/** Without a graphics card, drawing at full resolution takes the processors from the page that is measured. */
const COARSE = 0.25;
/** For the same reason, fewer frames. */
const FRAME_MS = 500;

interface Sample extends HeapUse {
  /** Simulated hours since the page was opened. */
  readonly hour: number;
  readonly answers: number;
}

/** A tab that stays open for a day, whose answers follow each other at once: what its heap grows by. */
export async function tabDay(): Promise<object> {
  const source = makeSimulator(TRAFFIC);
  const referenceOf = cacheReferences({
    secret: new TextEncoder().encode('the benchmark has no secrets'),
    prefix: 'RX',
    periodMs: REFERENCE_PERIOD_MS,
  });
  const references = new Set<string>();
  const positionsAt = (layer: Layer, atMs: number): Position[] =>
    source.live(layer, AREA, upstreamInstant(atMs)).map((observation) => {
      const reference = referenceOf(observation.sourceId, layer, observation.observedAt);
      references.add(reference);
      return toPosition(wireRecord('live', reference, observation)) as Position;
    });
  const running = await openPage(makeSimulator(REPLAYED_TRAFFIC), COARSE);
  try {
    const { page, url } = running;
    // All of it in the past, so that the service has what a replay of it needs. The page's time is that of the answers.
    const startMs = Date.now() - 3 * DAY_MS;
    let nowMs = startMs;
    let positions = 0;
    const answers = await feedLive(page, () => {
      nowMs += POLL_MS;
      const both = { rid: positionsAt('rid', nowMs), adsb: positionsAt('adsb', nowMs) };
      positions = both.rid.length + both.adsb.length;
      return { now: upstreamInstant(nowMs), positions: both, nextPollMs: POLL_MS };
    });
    // The page takes the upstream's time from a price, too.
    await page.route('**/api/history/cost?*', async (route) => {
      const response = await route.fetch();
      const json: object = await response.json();
      await route.fulfill({ response, json: { ...json, as_of: formatInstant(upstreamInstant(nowMs)) } });
    });
    await page.addInitScript(hurry, { haste: HASTE, frameMs: FRAME_MS });
    await page.addInitScript(() => {
      localStorage.setItem(
        'lookout.preferences',
        JSON.stringify({ trails: 'all', hintsSeen: ['marks', 'card', 'replay', 'share'] }),
      );
    });
    await page.goto(`${url}/?view=46.9,8.2,7`);
    await expect.poll(answers, { timeout: 120_000, intervals: [100] }).toBeGreaterThan(0);
    const heap = await PageHeap.of(page);
    const operator = new Operator(page);
    const samples: Sample[] = [];
    for (let act = 1; act * ACT_EVERY_ANSWERS <= (HOURS * HOUR_MS) / POLL_MS; act++) {
      await operator.acts(act);
      if (act % REPLAY_EVERY === 0) await operator.replays();
      await expect
        .poll(answers, { timeout: 600_000, intervals: [100] })
        .toBeGreaterThanOrEqual(act * ACT_EVERY_ANSWERS);
      if (act % 2 !== 0) continue;
      const hour = Math.round(((nowMs - startMs) / HOUR_MS) * 10) / 10;
      samples.push({ hour, answers: answers(), ...(await heap.use()) });
      process.stderr.write(`${JSON.stringify({ ...samples.at(-1), positions, references: references.size })}\n`);
    }
    const measured = samples.filter(({ hour }) => hour >= WARM_UP_HOURS);
    const growth = growthMb(measured);
    return {
      what: `a page that is open for ${HOURS} h of a poll every ${POLL_MS / 1000} s; its answers follow each other at once, and are that far apart by their own time, which is the page's; two frames a second; every half hour rows selected, a filter set and cleared, the table searched and sorted; every two hours a replay of the last hour, loaded, played and left; trails of all; heap with buffers and workers after a collection`,
      goal: { growth_mb: GOAL_MB },
      reached: growth.by_slope <= GOAL_MB && growth.last_two_hours_less_first_two <= GOAL_MB,
      answers: answers(),
      positions_at_a_time: positions,
      references: references.size,
      ...operator.done,
      growth_mb: growth,
      samples,
    };
  } finally {
    await running.close();
  }
}

/** Runs in the page: it polls as soon as it has an answer, and draws fewer frames. */
function hurry({ haste, frameMs }: { haste: number; frameMs: number }): void {
  const every = window.setInterval;
  const nextFrame = window.requestAnimationFrame;
  const due = new Map<number, FrameRequestCallback>();
  let lastId = 0;
  const draw = (time: number) => {
    const callbacks = [...due.values()];
    due.clear();
    for (const callback of callbacks) callback(time);
  };
  every(() => due.size > 0 && nextFrame(draw), frameMs);
  Object.assign(window, {
    // Ageing stays at once a second: between answers that follow each other at once, there is nothing to age.
    setInterval: (handler: () => void, ms = 0) => every(handler, ms > 1000 ? ms / haste : ms),
    requestAnimationFrame: (callback: FrameRequestCallback) => {
      due.set(++lastId, callback);
      return lastId;
    },
    cancelAnimationFrame: (id: number) => due.delete(id),
  });
}

/** Of the samples after the warm-up; by slope, in a day. */
function growthMb(samples: readonly Sample[]) {
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const meanMbOf = (some: readonly Sample[]) => mean(some.map(({ total_mb }) => total_mb));
  const [meanHour, meanMb] = [mean(samples.map(({ hour }) => hour)), meanMbOf(samples)];
  const covariance = mean(samples.map(({ hour, total_mb }) => (hour - meanHour) * (total_mb - meanMb)));
  const variance = mean(samples.map(({ hour }) => (hour - meanHour) ** 2));
  const round = (mb: number) => Math.round(mb * 100) / 100;
  return {
    // Every second hour comes just after a replay, when the trails of before it are gone.
    last_two_hours_less_first_two: round(meanMbOf(samples.slice(-2)) - meanMbOf(samples.slice(0, 2))),
    by_slope: round((covariance / variance) * 24),
  };
}

/** What an operator does with the page. */
class Operator {
  readonly #page: Page;
  readonly #tracks: TrackPanel;
  readonly #filter: FilterPanel;
  readonly #replay: ReplayDock;
  #selections = 0;
  #filters = 0;
  #replays = 0;

  constructor(page: Page) {
    this.#page = page;
    this.#tracks = new TrackPanel(page);
    this.#filter = new FilterPanel(page);
    this.#replay = new ReplayDock(page);
  }

  get done() {
    return { selections: this.#selections, filters: this.#filters, replays: this.#replays };
  }

  async acts(act: number): Promise<void> {
    const { rows, search, card } = this.#tracks;
    await this.#tracks.sortsBy(act % 2 === 0 ? /^Ground speed/ : /^Altitude/);
    await rows.first().click();
    await expect(card).toBeVisible();
    this.#selections++;
    if (act % 2 === 0) {
      for (const row of [2, 4, 5]) await rows.nth(row).click({ modifiers: ['Shift'] });
      await expect(this.#tracks.selectedList).toBeVisible();
      this.#selections += 3;
    }
    await search.fill(`RX-A-${(act % 16).toString(16)}`);
    await search.fill('');
    await this.#filter.opens();
    await this.#filter.types('Altitude, reference not stated, from, m', String(1000 + 100 * (act % 40)));
    await expect(this.#filter.line).toBeVisible();
    await this.#filter.clears();
    this.#filters++;
    await this.#page.getByRole('tab', { name: 'Tracks' }).click();
    await this.#tracks.table.focus();
    await this.#page.keyboard.press('Escape');
    await this.#tracks.isClosed();
  }

  /** Loads the last hour, plays it for a while with a track selected, and returns to the live picture. */
  async replays(): Promise<void> {
    await this.#page.keyboard.press('r');
    await this.#replay.loadsFully();
    await this.#replay.button('To the start').click();
    await this.#tracks.rows.first().click();
    await this.#replay.button('Play').click();
    await this.#page.waitForTimeout(PLAYED_MS);
    await this.#page.keyboard.press('Escape');
    await this.#page.keyboard.press('r');
    await expect(this.#replay.dock).toHaveCount(0);
    this.#replays++;
  }
}

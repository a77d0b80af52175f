import { within } from '@testing-library/react';
import { expect, test } from 'vitest';
import type { HistoryCost } from '#lib/api/history-cost.ts';
import type { ProgressLine } from '#lib/api/history-line.ts';
import { RECEPTIONS, REPLAY_REASONS } from '#lib/api/layer-reason.ts';
import { localStore } from '#lib/client/browser/storage.ts';
import { saveTtl } from '#lib/client/replay/time-to-live.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { type Past, PRICE } from '#testing/past-answers.ts';
import { recordsNow, showPage } from '#testing/shown-page.tsx';

const END_MS = Math.floor(Date.now() / MINUTE_MS - 2) * MINUTE_MS;
const START_MS = END_MS - 10 * MINUTE_MS;
const iso = (ms: number) => new Date(ms).toISOString();
const addressTime = (ms: number) => iso(ms).replace('.000Z', 'Z');
const RECORDS = Array.from({ length: 37 }, (_, index) => ({
  observed_at: iso(START_MS + 2 * MINUTE_MS + index * 10_000),
  altitude_m: 1000 + index,
}));
const TRACK = 'RX-A-0000000000000001';
const FIRST_MS = START_MS + 2 * MINUTE_MS;
const LAST_MS = START_MS + 8 * MINUTE_MS;

async function showReplay(more = '', past: Partial<Past> = {}, setting: { readonly hasAllowance?: boolean } = {}) {
  const records = recordsNow(RECORDS).map((record) => ({ ...record, public_track_id: TRACK }));
  const window = `from=${addressTime(START_MS)}&to=${addressTime(END_MS)}`;
  const page = await showPage({ address: `?layers=adsb&${window}${more}`, past: { records, ...past }, ...setting });
  const { screen } = page;
  const button = (name: string | RegExp) => screen.findByRole('button', { name });
  return {
    ...page,
    button,
    clicks: async (name: string | RegExp) => page.user.click(await button(name)),
    state: () => screen.queryByTestId('replay-loading')?.dataset.loading,
    shownMs: () => {
      const label = screen.getByTestId('clock').getAttribute('aria-label') ?? '';
      const [, time, date] = /^(\S+Z) (\S+)\./.exec(label) ?? [];
      return Date.parse(`${date}T${time}`);
    },
  };
}

async function showLoaded(more = '') {
  const page = await showReplay(more);
  await expect.poll(page.state).toBe('done');
  return page;
}

test('plays, pauses, steps and jumps by key', async () => {
  const { user, button, shownMs } = await showLoaded();
  expect(shownMs()).toBe(START_MS);
  await user.keyboard('{ArrowRight}{Shift>}{ArrowRight}{/Shift}');
  await expect.poll(shownMs).toBe(START_MS + 11_000);
  await user.keyboard('{ArrowLeft}');
  await expect.poll(shownMs).toBe(START_MS + 10_000);
  await user.keyboard('{End}');
  await expect.poll(shownMs).toBe(END_MS);
  await user.keyboard('{Home}');
  await expect.poll(shownMs).toBe(START_MS);
  for (const speed of [2, 4, 5, 10, 20, 30]) {
    await user.keyboard('{]}');
    expect(await button(`${speed}×: speed. Change`)).toBeTruthy();
  }
  await user.keyboard('[[');
  expect(await button('20×: speed. Change')).toBeTruthy();
  await user.keyboard(' ');
  expect(await button('Pause')).toBeTruthy();
  await expect.poll(shownMs).toBeGreaterThan(START_MS + 5000);
  await user.keyboard(' ');
  expect(await button('Play')).toBeTruthy();
});

test('a focused list handles its keys, even while it is empty: a replay stays where it is', async () => {
  const { screen, user, shownMs } = await showLoaded();
  const search = screen.getByRole('searchbox', { name: 'Find a reference' });
  await user.type(search, 'no such reference');
  screen.getByRole('grid').focus();
  await user.keyboard('{End}{Home}{PageDown} ');
  await user.keyboard('{ArrowRight}');
  await expect.poll(shownMs).toBe(START_MS + 1000);
});

test('a track has buttons that seek to its first and last position in the window', async () => {
  const { screen, user, clicks, button, shownMs } = await showLoaded(`&at=${addressTime(START_MS + 5 * MINUTE_MS)}`);
  await expect.poll(() => document.querySelectorAll('tr[data-ref]').length).toBe(1);
  await user.click(document.querySelector('tr[data-ref]') as HTMLElement);
  expect((await screen.findByTestId('track-times')).textContent).toContain('37 received positions');
  for (const [name, ms] of [
    [/^First seen /, FIRST_MS],
    [/^Last seen /, LAST_MS],
  ] as const) {
    expect((await button(name)).textContent).toContain(iso(ms).slice(11, 19));
    await clicks(name);
    await expect.poll(shownMs).toBe(ms);
  }
});

test('opens a typed window, and says what is wrong with an invalid one', async () => {
  const { screen, user, parameter, shownMs } = await showLoaded();
  await user.click(screen.getByTestId('replay-window'));
  const picker = await screen.findByRole('dialog', { name: 'Window of the replay' });
  const types = async (label: string, text: string) => {
    const field = await within(picker).findByLabelText(label);
    await user.clear(field);
    await user.type(field, text);
  };
  const opens = () => user.click(within(picker).getByText('Open this window'));
  const yesterday = iso(Date.now() - 86_400_000).slice(0, 10);
  await types('Day, UTC', yesterday);
  await types('From, UTC', '10:04');
  await types('To, UTC', '10:04');
  await opens();
  expect(within(picker).getByRole('alert').textContent).toMatch(/^Start and end are the same/);
  await types('To, UTC', '10:14:30');
  await opens();
  await expect.poll(() => screen.getByTestId('replay-window').textContent).toContain('10:04–10:14:30Z');
  await expect.poll(shownMs).toBe(Date.parse(`${yesterday}T10:04:00Z`));
  await expect.poll(() => parameter('to')).toBe(`${yesterday}T10:14:30Z`);
});

test('takes a burst of progress lines while it counts the tracks that a filter shows', async () => {
  const sends: ((line: ProgressLine) => void)[] = [];
  const { screen, state } = await showReplay('&emergency=only', { unfinished: (send) => sends.push(send) });
  await expect.poll(() => screen.queryByTestId('layer-state-adsb')?.textContent).toMatch(/./);
  await expect.poll(() => sends.length).toBe(1);
  const adsb = { parts_done: 0, parts_known: 1, requests_made: 0, requests_expected: 1, minutes: 'l'.repeat(10) };
  for (let line = 0; line < 200; line++) {
    sends[0]?.({ type: 'progress', layers: { adsb }, paused: null });
    // React renders in a microtask, as between the queued messages of a worker, before any timer and task of its scheduler.
    await Promise.resolve();
  }
  await expect.poll(state).toBe('loading');
});

test('quotes a price before any load, and loads at that price', async () => {
  const { screen, clicks, button, loads, state } = await showReplay('', { cost: { has_allowance: true, left: null } });
  await expect.poll(state).toBe('quoted');
  expect(loads).toEqual([]);
  expect(screen.getByTestId('layer-state-adsb').textContent).toBe('Aircraft: not loaded at this time');
  expect(await button('Load 10 min (≈ 3 requests, max. 6)')).toBeTruthy();
  await clicks(/^Load 10 min/);
  await expect.poll(state).toBe('done');
  expect(loads.map((query) => query.get('max_requests'))).toEqual(['6']);
  expect(screen.getByTestId('replay-loading').textContent).toMatch(/^Complete · 1 request made$/);
});

test('a replay that gets ahead of its load says that it is buffering, and continues when the load arrives', async () => {
  const load = Promise.withResolvers<void>();
  const { screen, clicks, button, shownMs, state } = await showReplay('&speed=120', { held: load.promise });
  const loading = () => screen.getByTestId('replay-loading').textContent;
  await clicks('Play');
  await expect.poll(loading).toContain('Buffering');
  expect(shownMs()).toBe(START_MS);
  load.resolve();
  await expect.poll(state).toBe('done');
  await expect.poll(loading).not.toContain('Buffering');
  await expect.poll(shownMs).toBe(END_MS);
  expect(await button('Play')).toBeTruthy();
});

test('more positions than the service returns are incomplete in their minute, and nowhere else', async () => {
  const denseMs = START_MS + 5 * MINUTE_MS;
  const tooDense = REPLAY_REASONS.too_dense.past;
  const { screen, user, state } = await showReplay(`&at=${addressTime(denseMs + 30_000)}`, {
    minutes: 'ccccctcccc',
    gaps: [{ bbox: [8, 46, 8.1, 46.1], start: iso(denseMs + 20_000), end: iso(denseMs + 21_000), reason: 'too_dense' }],
  });
  await expect.poll(state).toBe('done');
  expect(screen.getByTestId('layer-state-adsb').textContent).toBe(`Aircraft: incomplete at this time: ${tooDense}`);
  expect(screen.getByTestId('replay-loading').textContent).toBe(
    `Aircraft: 1 min incomplete (${tooDense}) · 1 request made`,
  );
  const runs = [...document.querySelectorAll<HTMLElement>('[data-testid="lane-adsb"] .band:not([data-lead-in])')];
  expect(runs.map(({ dataset }) => [dataset.state, dataset.start, dataset.end])).toEqual([
    ['complete', iso(START_MS), iso(denseMs)],
    ['truncated', iso(denseMs), iso(denseMs + MINUTE_MS)],
    ['complete', iso(denseMs + MINUTE_MS), iso(END_MS)],
  ]);
  await user.keyboard(`{Shift>}${'{ArrowLeft}'.repeat(13)}{/Shift}`);
  await expect.poll(() => screen.getByTestId('layer-state-adsb').textContent).toBe('Aircraft: fully loaded');
});

test('a track expires after the time to live that this browser learnt from a live picture', async () => {
  saveTtl(localStore, { aircraft: 77_000, drone: 45_000 });
  const { screen, user } = await showLoaded(`&at=${addressTime(LAST_MS)}`);
  await expect.poll(() => document.querySelectorAll('tr[data-ref]').length).toBe(1);
  await user.click(document.querySelector('tr[data-ref]') as HTMLElement);
  const text = (await screen.findByTestId('track-age')).textContent ?? '';
  const [, age, left] = /Received (\d+) s ago · expires in (\d+) s/.exec(text) ?? [];
  expect(Number(age) + Number(left), text).toBeGreaterThanOrEqual(75);
  expect(Number(age) + Number(left), text).toBeLessThanOrEqual(77);
});

const LOST = RECEPTIONS.receivers_lost.past;
const LOST_FROM_MS = START_MS + 4 * MINUTE_MS;
const LOST_TO_MS = START_MS + 7 * MINUTE_MS;
const box = (reason: 'receivers_lost' | 'receivers_partly', fromMs: number, toMs: number) => ({
  bbox: [7, 46, 10, 48] as [number, number, number, number],
  reason,
  start: iso(fromMs),
  end: iso(toMs),
});

test('a night with the receiver off is no quiet night, in any word', async () => {
  const at = addressTime(START_MS + 5 * MINUTE_MS);
  const { screen, user, state } = await showReplay(`&at=${at}`, {
    records: [],
    minutes: 'ccccrrrppc',
    reception: [
      box('receivers_lost', LOST_FROM_MS, LOST_TO_MS),
      box('receivers_partly', LOST_TO_MS, LOST_TO_MS + 2 * MINUTE_MS),
    ],
  });
  await expect.poll(state).toBe('done');
  const time = (ms: number) => iso(ms).slice(11, 16);
  expect(screen.getByTestId('layer-state-adsb').textContent).toBe(
    `Aircraft: ${LOST} ${time(LOST_FROM_MS)}–${time(LOST_TO_MS)}Z`,
  );
  expect(screen.getByTestId('chip-adsb').textContent).toContain('no receiver');
  expect(screen.queryByTestId('count-adsb')).toBeNull();
  const band = screen.getByRole('list', { name: 'Aircraft: completeness' });
  expect(
    within(band)
      .getAllByRole('listitem')
      .map(({ textContent }) => textContent),
  ).toContain(`${time(LOST_FROM_MS)}Z to ${time(LOST_TO_MS)}Z: ${LOST}`);
  expect(screen.getByTestId('replay-loading').textContent).toBe(
    `Aircraft: ${LOST} within 3 of 10 min, ${RECEPTIONS.receivers_partly.past} within 2 of 10 min · 1 request made`,
  );
  await user.click(screen.getByRole('button', { name: 'What the bands mean' }));
  const legend = within(screen.getByRole('list', { name: 'Completeness' })).getAllByRole('listitem');
  const words = legend.map(({ textContent }) => textContent);
  expect(words).toContain(LOST);
  expect(words).not.toContain(RECEPTIONS.not_equipped.past);
  for (const name of [/Try again/, /^Load$/, /^Refresh$/]) expect(screen.queryByRole('button', { name })).toBeNull();
  expect(document.body.textContent).not.toMatch(/No aircraft positions? received|fully loaded/);
});

test('the answer over such a night is open, and says for how much of the window receivers were missing', async () => {
  const { screen, user, clicks, state } = await showReplay('', {
    records: [],
    minutes: 'rrrrrrrrrr',
    reception: [box('receivers_lost', START_MS, END_MS)],
  });
  await expect.poll(state).toBe('done');
  await user.click(screen.getByRole('tab', { name: /Tracks in this window/ }));
  await clicks(/^Answer$/);
  const head = (await screen.findAllByTestId('answer-head'))[0]?.textContent ?? '';
  expect(head).toContain('No aircraft position received in this window, but receivers were missing.');
  const answer = (await screen.findAllByTestId('answer'))[0]?.textContent ?? '';
  expect(answer).toContain(`${LOST.slice(1)} for 10 min of 10 min`);
});

test('offers the middle or tiles of a view that is too wide for one load, each with its price', async () => {
  const middle = { ...PRICE, boxes: [[8, 46, 9, 47]] } satisfies HistoryCost['middle'];
  const tiles = { ...PRICE, expected: 12, known: false, max_requests: 24, boxes: [...PRICE.boxes, ...PRICE.boxes] };
  const { screen, clicks, button, loads, state } = await showReplay('', { cost: { wide: true, middle, tiles } });
  expect(await button('Load all in 2 tiles (at least 12 requests, max. 24)')).toBeTruthy();
  await clicks('Load 10 min around the centre (5° × 5°) (≈ 3 requests, max. 6)');
  await expect.poll(state).toBe('done');
  expect(loads.map((query) => query.get('wide'))).toEqual(['middle']);
  expect((await screen.findByTestId('notice-capped')).textContent).toBe('Only the framed area is loaded.');
});

test('without an allowance no button names a price', async () => {
  const wide = { wide: true, tiles: { ...PRICE, boxes: [...PRICE.boxes, ...PRICE.boxes] } };
  const { button } = await showReplay('', { cost: wide }, { hasAllowance: false });
  expect(await button('Load 10 min around the centre (5° × 5°)')).toBeTruthy();
  expect(await button('Load all in 2 tiles')).toBeTruthy();
});

import { expect, test } from 'vitest';
import { Display } from '#lib/client/display/display.ts';
import { LiveFeed } from '#lib/client/live/live-feed.ts';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import { SELECTED_MAX, selectionOf, withAdded, without, withPrimary } from '#lib/model/selection.ts';
import { localInstant, upstreamInstant } from '#lib/time/instant.ts';
import {
  afterDrag,
  afterFollowKey,
  afterIsolateKey,
  afterSelection,
  followState,
  NO_FOCUS,
  Selecting,
} from './selecting.ts';

test('a drag pauses following, the key resumes it, and the key again ends it', () => {
  const on = afterFollowKey(NO_FOCUS);
  expect(on.following).toBe('on');
  const paused = afterDrag(on);
  expect(paused.following).toBe('paused');
  expect(afterFollowKey(paused).following).toBe('on');
  expect(afterFollowKey(on).following).toBe('off');
});

test('a drag starts nothing, and isolating is independent of following', () => {
  expect(afterDrag(NO_FOCUS)).toBe(NO_FOCUS);
  expect(afterIsolateKey(afterFollowKey(NO_FOCUS))).toEqual({ following: 'on', isolated: true });
  expect(afterIsolateKey(afterIsolateKey(NO_FOCUS))).toEqual(NO_FOCUS);
});

test('selecting more changes nothing; another primary track is not followed; isolating ends with the last of the selected', () => {
  const shown = afterIsolateKey(afterFollowKey(NO_FOCUS));
  const [one, two] = [selectionOf(['A']), withAdded(selectionOf(['A']), ['B'])];
  expect(afterSelection(shown, one, two)).toBe(shown);
  expect(afterSelection(shown, two, withPrimary(two, 'B'))).toEqual({ following: 'off', isolated: true });
  expect(afterSelection(shown, two, without(two, 'A'))).toEqual({ following: 'off', isolated: true });
  expect(afterSelection(shown, two, without(two, 'B'))).toBe(shown);
  expect(afterSelection(shown, two, selectionOf(['C']))).toEqual(NO_FOCUS);
  expect(afterSelection(shown, one, selectionOf([]))).toEqual(NO_FOCUS);
});

test('following is lost where the map was moved away from the track, and where nothing is received of it any more', () => {
  const on = afterFollowKey(NO_FOCUS);
  const paused = afterDrag(on);
  const track = { position: { ...plainPosition, lon: 8, lat: 47 }, expiresAt: upstreamInstant(0), gone: false };
  const [here, elsewhere] = [
    { west: 7, south: 46, east: 9, north: 48 },
    { west: 9, south: 46, east: 11, north: 48 },
  ];
  expect(followState(on, track, here)).toBe('on');
  expect(followState(paused, track, here)).toBe('paused');
  expect(followState(paused, track, elsewhere)).toBe('lost');
  expect(followState(on, { ...track, gone: true }, here)).toBe('lost');
  expect(followState(on, undefined, here)).toBe('lost');
  expect(followState(NO_FOCUS, undefined, elsewhere)).toBe('off');
});

function page() {
  const display = new Display(new LiveFeed({ monotonicMs: () => 0, wallNow: () => localInstant(0) }), () => 0);
  return { display, selecting: new Selecting(display) };
}
const refs = (count: number) => Array.from({ length: count }, (_, index) => `RX-A-${index}`);

test('a box adds its tracks, best first, and says how many did not fit', () => {
  const { display, selecting } = page();
  display.select('RX-A-99');
  selecting.addInBox(refs(3));
  expect(display.summary().selection).toEqual({ refs: ['RX-A-99', ...refs(3)], primary: 'RX-A-99' });
  expect(selecting.note.get()).toBeUndefined();
  selecting.addInBox(refs(25));
  expect(display.summary().selection.refs).toEqual(['RX-A-99', ...refs(SELECTED_MAX - 1)]);
  expect(selecting.note.get()).toMatch(/^6 of the 25 tracks in the box are not selected: at most 20 can be/);
});

test('a click adds and removes; beyond the limit it says why nothing was added', () => {
  const { display, selecting } = page();
  for (const ref of refs(SELECTED_MAX)) selecting.toggle(ref);
  expect(selecting.note.get()).toBeUndefined();
  selecting.toggle('RX-A-99');
  expect(selecting.note.get()).toBe('At most 20 tracks can be selected.');
  expect(display.summary().selection.refs).toEqual(refs(SELECTED_MAX));
  selecting.toggle('RX-A-0');
  expect(display.summary().selection).toMatchObject({ primary: 'RX-A-1', refs: refs(SELECTED_MAX).slice(1) });
});

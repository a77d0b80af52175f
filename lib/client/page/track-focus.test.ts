import { expect, test } from 'vitest';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import { selectionOf, withAdded, without, withPrimary } from '#lib/model/selection.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { afterDrag, afterFollowKey, afterIsolateKey, afterSelection, followState, NO_FOCUS } from './track-focus.ts';

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

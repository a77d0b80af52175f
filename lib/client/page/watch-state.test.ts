import { expect, test } from 'vitest';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import { selectionOf, withAdded, without, withPrimary } from '#lib/model/selection.ts';
import { upstreamInstant } from '#lib/time/instant.ts';
import { afterDrag, afterFollowKey, afterIsolateKey, afterSelection, followState, NOT_WATCHED } from './watch-state.ts';

test('a drag pauses following, the key resumes it, and the key again ends it', () => {
  const on = afterFollowKey(NOT_WATCHED);
  expect(on.following).toBe('on');
  const paused = afterDrag(on);
  expect(paused.following).toBe('paused');
  expect(afterFollowKey(paused).following).toBe('on');
  expect(afterFollowKey(on).following).toBe('off');
});

test('a drag starts nothing, and isolating is independent of following', () => {
  expect(afterDrag(NOT_WATCHED)).toBe(NOT_WATCHED);
  expect(afterIsolateKey(afterFollowKey(NOT_WATCHED))).toEqual({ following: 'on', isolated: true });
  expect(afterIsolateKey(afterIsolateKey(NOT_WATCHED))).toEqual(NOT_WATCHED);
});

test('selecting more changes nothing; another primary track is not followed; isolating ends with the last of the selected', () => {
  const watched = afterIsolateKey(afterFollowKey(NOT_WATCHED));
  const [one, two] = [selectionOf(['A']), withAdded(selectionOf(['A']), ['B'])];
  expect(afterSelection(watched, one, two)).toBe(watched);
  expect(afterSelection(watched, two, withPrimary(two, 'B'))).toEqual({ following: 'off', isolated: true });
  expect(afterSelection(watched, two, without(two, 'A'))).toEqual({ following: 'off', isolated: true });
  expect(afterSelection(watched, two, without(two, 'B'))).toBe(watched);
  expect(afterSelection(watched, two, selectionOf(['C']))).toEqual(NOT_WATCHED);
  expect(afterSelection(watched, one, selectionOf([]))).toEqual(NOT_WATCHED);
});

test('following is lost where the map was moved away from the track, and where nothing is received of it any more', () => {
  const on = afterFollowKey(NOT_WATCHED);
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
  expect(followState(NOT_WATCHED, undefined, elsewhere)).toBe('off');
});

import { expect, test } from 'vitest';
import { selectionOf, withAdded, without, withPrimary } from '#lib/model/selection.ts';
import { afterDrag, afterFollowKey, afterIsolateKey, afterSelection, NOT_WATCHED } from './watch-state.ts';

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

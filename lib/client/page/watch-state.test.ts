import { expect, test } from 'vitest';
import { afterDrag, afterFollowKey, afterIsolateKey, NOT_WATCHED } from './watch-state.ts';

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

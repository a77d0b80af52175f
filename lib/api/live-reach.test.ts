import { expect, test } from 'vitest';
import { LIVE_MAX_SPAN_DEG } from '../contract/limits.ts';
import { WATCHED_MAX_SPAN_DEG } from './live-reach.ts';

test('as much of a view is watched as the upstream allows', () => {
  expect(WATCHED_MAX_SPAN_DEG).toBe(LIVE_MAX_SPAN_DEG);
});

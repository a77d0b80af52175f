import { expect, test } from 'vitest';
import { HISTORY_MAX_AGE_MS, HISTORY_MAX_WINDOW_MS } from '../contract/limits.ts';
import { REPLAY_MOST_MS, REPLAY_REACH_MS } from './history-reach.ts';

test('a replay may be as long and lie as far back as the upstream allows', () => {
  expect([REPLAY_MOST_MS, REPLAY_REACH_MS]).toEqual([HISTORY_MAX_WINDOW_MS, HISTORY_MAX_AGE_MS]);
});

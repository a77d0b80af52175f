import { expect, test } from 'vitest';
import { CONCURRENT, KilledSpender } from './killed-spender.fixture.ts';

const KILLS = 4;

test('after every kill, at random times, the counters have what was granted, and little that was not', async () => {
  const spender = new KilledSpender();
  try {
    spender.begin();
    for (let killed = 1; killed <= KILLS; killed += 1) {
      const duringStart = killed === KILLS;
      await spender.spendUntilKilled(Math.random() * (duringStart ? 300 : 100), duringStart ? 'start' : 'spending');
      const { granted, counted } = spender.compare();
      expect(counted).toBeGreaterThanOrEqual(granted);
      expect(counted - granted).toBeLessThanOrEqual(CONCURRENT * killed);
    }
    expect(spender.compare().granted).toBeGreaterThan(0);
  } finally {
    spender.remove();
  }
});

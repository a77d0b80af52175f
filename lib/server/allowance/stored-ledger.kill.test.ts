import { expect, test } from 'vitest';
import { KilledSpender } from './killed-spender.fixture.ts';

const KILLS = 15;

test('after every kill, at random times, the ledger is readable and counts every request that was sent', async () => {
  const spender = new KilledSpender();
  for (let kill = 0; kill < KILLS; kill++) {
    const duringStart = kill % 5 === 4;
    await spender.spendUntilKilled(Math.random() * (duringStart ? 150 : 20), duringStart ? 'start' : 'first request');
    const { recorded, counted, dayBelow, minuteBelow } = await spender.compare();
    expect(recorded).toBeGreaterThan(0);
    expect(counted).toBeGreaterThanOrEqual(recorded);
    expect(dayBelow).toBeGreaterThanOrEqual(0);
    expect(minuteBelow).toBeGreaterThanOrEqual(0);
  }
});

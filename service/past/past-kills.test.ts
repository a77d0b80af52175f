import { expect, test } from 'vitest';
import { KilledRecorder } from './killed-recorder.fixture.ts';

test('keeps every written observation through kills, once and unchanged, without a damaged segment', async () => {
  const recorder = new KilledRecorder();
  try {
    let written = 0;
    for (const [afterMs, since] of [
      [150, 'appending'],
      [350, 'appending'],
      [120, 'start'],
      [30, 'appending'],
      [200, 'appending'],
    ] as const) {
      await recorder.appendUntilKilled(afterMs, since);
      const losses = await recorder.compare();
      expect(losses).toMatchObject({ missing: 0, unexpected: [], damagedSegments: 0 });
      written = losses.written;
    }
    expect(written).toBeGreaterThan(100);
  } finally {
    recorder.remove();
  }
});

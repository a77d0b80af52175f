import { expect, test } from 'vitest';
import { KilledRecorder } from './killed-recorder.fixture.ts';

test('what was written is there after every kill, once and as it was, and no file is damaged', async () => {
  const recorder = new KilledRecorder();
  try {
    let written = 0;
    // During a start, while appending, and around sealings, of which there is one in about a third of a second.
    for (const [afterMs, since] of [
      [150, 'appending'],
      [350, 'appending'],
      [120, 'start'],
      [30, 'appending'],
      [200, 'appending'],
    ] as const) {
      await recorder.appendUntilKilled(afterMs, since);
      const losses = await recorder.compare();
      expect(losses).toMatchObject({ missing: 0, unexpected: 0, damagedSegments: 0 });
      written = losses.written;
    }
    expect(written).toBeGreaterThan(100);
  } finally {
    recorder.remove();
  }
});

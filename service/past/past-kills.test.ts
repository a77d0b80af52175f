import { describe, expect, test } from 'vitest';
import { postgresPrograms, startCluster } from '../postgres/postgres-cluster.fixture.ts';
import { KilledRecorder } from './killed-recorder.fixture.ts';
import type { PastAddress } from './open-past-at.fixture.ts';

const programs = postgresPrograms();
const CLAIM = 'what was written is there after every kill, once and as it was, and no segment is damaged';

/** During a start, while appending, and around sealings, of which there is one in about a third of a second. */
async function appendAndKill(past?: PastAddress): Promise<void> {
  const recorder = new KilledRecorder(past);
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
}

test(`in files ${CLAIM}`, () => appendAndKill());

describe.skipIf(programs === undefined)('with PostgreSQL', () => {
  test(`in a database ${CLAIM}`, async () => {
    const cluster = startCluster(programs as string);
    try {
      await appendAndKill(cluster.target());
    } finally {
      cluster.remove();
    }
  });
});

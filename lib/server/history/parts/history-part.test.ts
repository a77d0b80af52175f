import { expect, test } from 'vitest';
import { plainPosition } from '#lib/model/plain-position.fixture.ts';
import { packObservations } from './history-part.ts';

test('a packed part keeps no more memory than its bytes, for which the cache has counted', async () => {
  const body = await packObservations([plainPosition]);
  expect(body.byteLength).toBeLessThan(1000);
  expect(body.buffer.byteLength).toBe(body.byteLength);
});

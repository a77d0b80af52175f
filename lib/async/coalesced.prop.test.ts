import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Coalesced } from './coalesced.ts';

test('each caller gets a write that began after its call, no two overlap, and few serve many', async () => {
  await fc.assert(
    fc.asyncProperty(fc.scheduler(), fc.integer({ min: 1, max: 30 }), async (scheduler, changes) => {
      let state = 0;
      let onDisk = 0;
      let underWay = 0;
      let writes = 0;
      const coalesced = new Coalesced(async () => {
        writes++;
        underWay++;
        expect(underWay).toBe(1);
        const writing = state;
        await scheduler.schedule(Promise.resolve(), 'write');
        onDisk = writing;
        underWay--;
        return writing;
      });
      const callers = Array.from({ length: changes }, (_, index) =>
        scheduler.schedule(Promise.resolve(), `change ${index}`).then(async () => {
          const mine = ++state;
          expect(await coalesced.run()).toBeGreaterThanOrEqual(mine);
          expect(onDisk).toBeGreaterThanOrEqual(mine);
        }),
      );
      await scheduler.waitFor(Promise.all(callers));
      await scheduler.waitFor(coalesced.idle());
      expect(onDisk).toBe(changes);
      expect(writes).toBeLessThanOrEqual(changes);
    }),
  );
});

test('a failed write rejects for its callers, and the next one begins', async () => {
  let isBroken = true;
  const coalesced = new Coalesced(async () => {
    if (isBroken) throw new Error('broken');
    return 'written';
  });
  const first = coalesced.run();
  const second = coalesced.run();
  isBroken = false;
  await expect(first).rejects.toThrow('broken');
  expect(await second).toBe('written');
});

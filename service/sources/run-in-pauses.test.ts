import { expect, test } from 'vitest';
import { runInPauses } from './run-in-pauses.ts';

test('other work runs in between, and all steps are done', async () => {
  let steps = 0;
  let done = false;
  function* work() {
    for (; steps < 100; steps++) {
      const begin = performance.now();
      while (performance.now() - begin < 1);
      yield;
    }
    done = true;
  }
  runInPauses(work());
  expect(steps).toBe(0);
  const seen: number[] = [];
  while (!done) {
    await new Promise((resolve) => setTimeout(resolve));
    seen.push(steps);
  }
  expect(steps).toBe(100);
  expect(seen.length).toBeGreaterThan(5);
  for (const [index, count] of seen.entries()) expect(count - (seen[index - 1] ?? 0)).toBeLessThan(100);
});

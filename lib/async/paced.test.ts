import { expect, test } from 'vitest';
import { Paced } from './coalesced.ts';
import type { Clock } from './wait.ts';

/** Time passes in `advance` alone. */
class ManualClock implements Clock {
  #nowMs = 0;
  readonly #timers = new Set<{ readonly atMs: number; readonly run: () => void }>();

  nowMs(): number {
    return this.#nowMs;
  }

  after(ms: number, run: () => void): () => void {
    const timer = { atMs: this.#nowMs + ms, run };
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }

  get waiting(): number {
    return this.#timers.size;
  }

  async advance(ms: number): Promise<void> {
    for (let left = ms; left >= 0; left--) {
      for (const timer of [...this.#timers]) {
        if (timer.atMs > this.#nowMs) continue;
        this.#timers.delete(timer);
        timer.run();
      }
      for (let turn = 0; turn < 10; turn++) await Promise.resolve();
      if (left > 0) this.#nowMs++;
    }
  }
}

function pacedAt(clock: ManualClock, tookMs = 0) {
  const begunMs: number[] = [];
  const paced = new Paced(
    100,
    () => {
      begunMs.push(clock.nowMs());
      const { promise, resolve } = Promise.withResolvers<void>();
      if (tookMs === 0) resolve();
      else clock.after(tookMs, resolve);
      return promise;
    },
    clock,
  );
  return { paced, begunMs };
}

test('calls of the same moment share a run, and the next run begins a period later', async () => {
  const clock = new ManualClock();
  const { paced, begunMs } = pacedAt(clock);
  for (let call = 0; call < 5; call++) paced.soon();
  await clock.advance(10);
  paced.soon();
  paced.soon();
  await clock.advance(500);
  expect(begunMs).toEqual([0, 100]);
  paced.soon();
  await clock.advance(0);
  expect(begunMs).toEqual([0, 100, 510]);
});

test('a call during a run leads to one more', async () => {
  const clock = new ManualClock();
  const { paced, begunMs } = pacedAt(clock, 15);
  paced.soon();
  await clock.advance(5);
  paced.soon();
  paced.soon();
  await clock.advance(500);
  expect(begunMs).toEqual([0, 100]);
});

test('takes at most a fifth of the time', async () => {
  const clock = new ManualClock();
  const { paced, begunMs } = pacedAt(clock, 60);
  paced.soon();
  await clock.advance(1);
  paced.soon();
  await clock.advance(1000);
  expect(begunMs).toEqual([0, 300]);
});

test('a stop drops what has not begun, waits for the current run, and leaves no timer', async () => {
  const clock = new ManualClock();
  const { paced, begunMs } = pacedAt(clock, 15);
  paced.soon();
  await clock.advance(1);
  paced.soon();
  let isStopped = false;
  const stopping = paced.stop().then(() => {
    isStopped = true;
  });
  await clock.advance(13);
  expect(isStopped).toBe(false);
  await clock.advance(5);
  await stopping;
  paced.soon();
  await clock.advance(500);
  expect(begunMs).toEqual([0]);
  expect(clock.waiting).toBe(0);
});

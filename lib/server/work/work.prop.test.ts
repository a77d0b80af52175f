import { getEventListeners } from 'node:events';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { turnsDuring } from '#testing/turns-during.ts';
import { Work } from './work.ts';
import { WORK, type WorkKind } from './work-table.ts';

const OPERATORS = ['alice', 'bob', 'carol', 'dave'];
const KIND = 'trial' satisfies WorkKind;

function workWith(bounds: { running: number; waiting: number; inAll: number }): Work {
  return new Work({ ...WORK, [KIND]: { ...WORK[KIND], ...bounds } } as typeof WORK);
}

/** One piece, which the test ends. */
class Piece {
  readonly operator: string;
  readonly closed = new AbortController();
  state: 'waits' | 'runs' | 'over' | 'refused' = 'waits';
  readonly #end = Promise.withResolvers<void>();

  constructor(work: Work, operator: string, log: Piece[]) {
    this.operator = operator;
    work
      .run(KIND, operator, this.closed.signal, async () => {
        this.state = 'runs';
        log.push(this);
        await this.#end.promise;
      })
      .then(
        () => {
          this.state = 'over';
        },
        (error: Error) => {
          this.state = error.name === 'AbortError' ? 'over' : 'refused';
        },
      );
  }

  end(): void {
    this.#end.resolve();
  }
}

const steps = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ enter: fc.constantFrom(...OPERATORS) }) },
    { weight: 2, arbitrary: fc.record({ end: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ abort: fc.nat() }) },
  ),
  { maxLength: 60 },
);
const bounds = fc.record({
  running: fc.integer({ min: 1, max: 2 }),
  waiting: fc.integer({ min: 0, max: 3 }),
  inAll: fc.integer({ min: 1, max: 3 }),
});

/** Each piece starts in a turn of its own. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 2 * OPERATORS.length; turn++) await nextTurn();
}

describe('work of operators', () => {
  test('keeps its bounds and leaves no place empty, whatever comes, ends and leaves', async () => {
    await fc.assert(
      fc.asyncProperty(bounds, steps, async (its, all) => {
        const work = workWith(its);
        const pieces: Piece[] = [];
        const aborted = new Set<Piece>();
        for (const step of all) {
          if ('enter' in step) {
            const ahead = pieces.filter(
              (piece) =>
                piece.operator === step.enter &&
                (piece.state === 'waits' || piece.state === 'runs') &&
                !aborted.has(piece),
            );
            const piece = new Piece(work, step.enter, []);
            pieces.push(piece);
            await settled();
            expect(piece.state === 'refused').toBe(ahead.length >= its.running + its.waiting);
          } else if ('end' in step) {
            pieces
              .filter(({ state }) => state === 'runs')
              .at(step.end % Math.max(1, pieces.length))
              ?.end();
          } else {
            const open = pieces.filter(({ state }) => state === 'waits' || state === 'runs');
            const piece = open[step.abort % Math.max(1, open.length)];
            if (piece) aborted.add(piece);
            piece?.closed.abort();
          }
          await settled();
          const running = pieces.filter(({ state }) => state === 'runs');
          expect(running.length).toBeLessThanOrEqual(its.inAll);
          for (const operator of OPERATORS) {
            const own = pieces.filter((piece) => piece.operator === operator && !aborted.has(piece));
            const ran = own.filter(({ state }) => state === 'runs').length;
            expect(ran).toBeLessThanOrEqual(its.running);
            const waits = own.some(({ state }) => state === 'waits');
            if (waits && ran < its.running) expect(running.length).toBe(its.inAll);
          }
        }
        for (let turn = 0; turn <= pieces.length; turn++) {
          for (const piece of pieces) piece.end();
          await settled();
        }
        expect(pieces.filter(({ state }) => state === 'waits' || state === 'runs')).toEqual([]);
        expect(pieces.flatMap(({ closed }) => getEventListeners(closed.signal, 'abort'))).toEqual([]);
        expect(work.counts(KIND)).toEqual({ running: 0, waiting: 0 });
      }),
      { numRuns: 200 },
    );
  });

  test('waits for no more than one piece of each other operator and place', async () => {
    await fc.assert(
      fc.asyncProperty(
        bounds,
        fc.array(fc.constantFrom('alice', 'bob', 'carol'), { minLength: 1, maxLength: 30 }),
        async (its, others) => {
          const work = workWith({ ...its, waiting: 40 });
          const started: Piece[] = [];
          for (const operator of others) new Piece(work, operator, started);
          await settled();
          const before = started.length;
          const own = new Piece(work, 'dave', started);
          await settled();
          while (own.state !== 'runs') {
            for (const piece of started) piece.end();
            await settled();
          }
          const ahead = started.slice(before, started.indexOf(own));
          for (const operator of OPERATORS)
            expect(ahead.filter((piece) => piece.operator === operator).length).toBeLessThanOrEqual(its.running);
          for (let turn = 0; turn < others.length + 1; turn++) {
            for (const piece of started) piece.end();
            await settled();
          }
        },
      ),
      { numRuns: 200 },
    );
  });

  test('a piece that runs keeps its slot after an abort, until it settles', async () => {
    const work = workWith({ running: 1, waiting: 1, inAll: 1 });
    const started: Piece[] = [];
    const [alice, bob] = [new Piece(work, 'alice', started), new Piece(work, 'bob', started)];
    await settled();
    alice.closed.abort();
    await settled();
    expect([alice.state, bob.state]).toEqual(['runs', 'waits']);
    alice.end();
    await settled();
    expect([alice.state, bob.state]).toEqual(['over', 'runs']);
    bob.end();
    await settled();
  });

  test('a piece that waits for a slot leaves at an abort, with the signal’s reason, and delays no other', async () => {
    const work = workWith({ running: 1, waiting: 1, inAll: 1 });
    const started: Piece[] = [];
    const alice = new Piece(work, 'alice', started);
    await settled();
    const left = new AbortController();
    const reason = new Error('left');
    let hasRun = false;
    const waiting = work.run(KIND, 'bob', left.signal, async () => {
      hasRun = true;
    });
    waiting.catch(() => undefined);
    const carol = new Piece(work, 'carol', started);
    await settled();
    left.abort(reason);
    await expect(waiting).rejects.toBe(reason);
    expect(alice.state).toBe('runs');
    alice.end();
    await settled();
    expect([carol.state, hasRun]).toEqual(['runs', false]);
    carol.end();
    await settled();
  });

  test('starts each piece in a turn of its own, also where none waits for anything', async () => {
    const work = new Work();
    const signal = new AbortController().signal;
    const { turns } = await turnsDuring(() =>
      Promise.all(Array.from({ length: 20 }, () => work.run('log', 'alice', signal, async () => undefined))),
    );
    expect(turns).toBeGreaterThanOrEqual(20);
  });

  test('is refused in words where its operator has too much of it, and no other operator’s is', async () => {
    const work = workWith({ running: 1, waiting: 1, inAll: 1 });
    const started: Piece[] = [];
    const [first, second] = [new Piece(work, 'alice', started), new Piece(work, 'alice', started)];
    const signal = new AbortController().signal;
    await expect(work.run(KIND, 'alice', signal, async () => undefined)).rejects.toMatchObject({
      code: 'too_much_work',
      message: expect.stringMatching(/^1 of your trials is running and 1 wait in the queue: end one/),
    });
    const bob = new Piece(work, 'bob', started);
    for (const piece of [first, second, bob, first, second]) {
      piece.end();
      await settled();
    }
    expect(started).toEqual([first, bob, second]);
  });
});

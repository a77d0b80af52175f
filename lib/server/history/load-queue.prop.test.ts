import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { LoadQueue, type PlaceInLine, RUNNING_MAX, WAITING_MAX } from './load-queue.ts';

interface Entered {
  readonly operator: string;
  readonly place: PlaceInLine;
  readonly closed: AbortController;
}

const OPERATORS = ['alice', 'bob', 'carol'];

test('whoever comes and goes, two of each operator’s loads run, in the order in which they came, and places have no gap', () => {
  const step = fc.oneof(
    fc.record({ enter: fc.constantFrom(...OPERATORS) }),
    fc.record({ end: fc.nat(), isClosed: fc.boolean() }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
      const queue = new LoadQueue();
      let entered: Entered[] = [];
      for (const each of steps) {
        if ('enter' in each) {
          const closed = new AbortController();
          entered.push({ operator: each.enter, place: queue.enter(each.enter, closed.signal), closed });
        } else {
          const ended = entered[each.end % entered.length];
          if (!ended) continue;
          if (each.isClosed) ended.closed.abort();
          ended.place.leave();
          expect(getEventListeners(ended.closed.signal, 'abort')).toEqual([]);
          entered = entered.filter((other) => other !== ended);
        }
        for (const operator of OPERATORS) {
          const places = entered.filter((load) => load.operator === operator).map(({ place }) => place.place);
          expect(places).toEqual(places.map((_, at) => (at < RUNNING_MAX ? undefined : at - RUNNING_MAX + 1)));
        }
        const { running, waiting } = queue.loads;
        expect(running + waiting).toBe(entered.length);
        expect(waiting).toBe(entered.filter(({ place }) => place.place !== undefined).length);
      }
    }),
  );
});

test('a load in line is told of each step forward, and of no other', async () => {
  const queue = new LoadQueue();
  const enter = () => queue.enter('alice', new AbortController().signal);
  const [first, , third, fourth] = [enter(), enter(), enter(), enter()] as const;
  const told: string[] = [];
  void third.moved.then(() => told.push('third'));
  void fourth.moved.then(() => told.push('fourth'));
  queue.enter('bob', new AbortController().signal).leave();
  await Promise.resolve();
  expect(told).toEqual([]);
  first.leave();
  await Promise.resolve();
  expect(told).toEqual(['third', 'fourth']);
  expect([third.place, fourth.place]).toEqual([undefined, 1]);
});

test('a line that is full refuses the next load of its operator in clear words, and of nobody else', () => {
  const queue = new LoadQueue();
  const enter = (operator: string) => queue.enter(operator, new AbortController().signal);
  const loads = Array.from({ length: RUNNING_MAX + WAITING_MAX }, () => enter('alice'));
  expect(() => enter('alice')).toThrow(/^2 of your loads are running and 40 wait in line: end one/);
  expect(enter('bob').place).toBeUndefined();
  loads[7]?.leave();
  expect(enter('alice').place).toBe(WAITING_MAX);
});

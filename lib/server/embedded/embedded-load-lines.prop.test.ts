import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type PlaceInLine, RUNNING_MAX } from '../ports/load-lines.ts';
import { declareLoadLinesSuite, unnamedLoad } from '../ports/load-lines-suite.fixture.ts';
import { EmbeddedLoadLines } from './embedded-load-lines.ts';

interface Entered {
  readonly operator: string;
  readonly place: PlaceInLine;
  readonly closed: AbortController;
}

declareLoadLinesSuite('EmbeddedLoadLines', async () => {
  const lines = new EmbeddedLoadLines();
  return [lines, lines];
});

const OPERATORS = ['alice', 'bob', 'carol'];

test('whoever comes and goes, two of each operator’s loads run, in the order in which they came, and places have no gap', () => {
  const step = fc.oneof(
    fc.record({ enter: fc.constantFrom(...OPERATORS) }),
    fc.record({ end: fc.nat(), isClosed: fc.boolean() }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
      const lines = new EmbeddedLoadLines();
      let entered: Entered[] = [];
      for (const each of steps) {
        if ('enter' in each) {
          const closed = new AbortController();
          entered.push({ operator: each.enter, place: lines.enter(each.enter, unnamedLoad(), closed.signal), closed });
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
        const { running, waiting } = lines.loads;
        expect(running + waiting).toBe(entered.length);
        expect(waiting).toBe(entered.filter(({ place }) => place.place !== undefined).length);
      }
    }),
  );
});

test('a load in line is told of each step forward, and of no other', async () => {
  const lines = new EmbeddedLoadLines();
  const enter = () => lines.enter('alice', unnamedLoad(), new AbortController().signal);
  const [first, , third, fourth] = [enter(), enter(), enter(), enter()] as const;
  const moved: string[] = [];
  void third.moved.then(() => moved.push('third'));
  void fourth.moved.then(() => moved.push('fourth'));
  lines.enter('bob', unnamedLoad(), new AbortController().signal).leave();
  await Promise.resolve();
  expect(moved).toEqual([]);
  first.leave();
  await Promise.resolve();
  expect(moved).toEqual(['third', 'fourth']);
  expect([third.place, fourth.place]).toEqual([undefined, 1]);
});

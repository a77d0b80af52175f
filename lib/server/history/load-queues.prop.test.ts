import { getEventListeners } from 'node:events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { upstreamInstant } from '#lib/time/instant.ts';
import { eventually } from '#testing/eventually.ts';
import { describeDatabases } from '#testing/test-databases.ts';
import { strictSupervisor } from '../supervision/supervisor.fixture.ts';
import type { Place } from '../work/operator-queue.ts';
import { WORK } from '../work/work-table.ts';
import { LoadQueues, type SeekableLoad } from './load-queues.ts';

interface Entered {
  readonly operator: string;
  readonly load: Place;
  readonly closed: AbortController;
}

const { running: RUNNING_MAX, waiting: WAITING_MAX } = WORK.load;
const FROM = upstreamInstant(Date.UTC(2026, 10, 21, 10, 30));
const never = new AbortController().signal;

function unnamedLoad(): SeekableLoad {
  return { name: undefined, seek: () => undefined };
}

const ranks = (loads: readonly Place[]) => loads.map(({ rank }) => rank);

const OPERATORS = ['alice', 'bob', 'carol'];

test('runs two loads of each operator in order of arrival, and numbers the queue without gaps', () => {
  const step = fc.oneof(
    fc.record({ enter: fc.constantFrom(...OPERATORS) }),
    fc.record({ end: fc.nat(), isClosed: fc.boolean() }),
  );
  fc.assert(
    fc.property(fc.array(step, { maxLength: 150 }), (steps) => {
      const queues = new LoadQueues();
      let entered: Entered[] = [];
      for (const each of steps) {
        if ('enter' in each) {
          const closed = new AbortController();
          entered.push({ operator: each.enter, load: queues.enter(each.enter, unnamedLoad(), closed.signal), closed });
        } else {
          const ended = entered[each.end % entered.length];
          if (!ended) continue;
          if (each.isClosed) ended.closed.abort();
          ended.load.leave();
          expect(getEventListeners(ended.closed.signal, 'abort')).toEqual([]);
          entered = entered.filter((other) => other !== ended);
        }
        for (const operator of OPERATORS) {
          const ranks = entered.filter((load) => load.operator === operator).map(({ load }) => load.rank);
          expect(ranks).toEqual(ranks.map((_, at) => (at < RUNNING_MAX ? undefined : at - RUNNING_MAX + 1)));
        }
        const { running, waiting } = queues.loads;
        expect(running + waiting).toBe(entered.length);
        expect(waiting).toBe(entered.filter(({ load }) => load.rank !== undefined).length);
      }
    }),
  );
});

test('a queued load receives each step forward, and no other event', async () => {
  const queues = new LoadQueues();
  const enter = () => queues.enter('alice', unnamedLoad(), new AbortController().signal);
  const [first, , third, fourth] = [enter(), enter(), enter(), enter()] as const;
  const moved: string[] = [];
  void third.moved.then(() => moved.push('third'));
  void fourth.moved.then(() => moved.push('fourth'));
  queues.enter('bob', unnamedLoad(), new AbortController().signal).leave();
  await Promise.resolve();
  expect(moved).toEqual([]);
  first.leave();
  await Promise.resolve();
  expect(moved).toEqual(['third', 'fourth']);
  expect([third.rank, fourth.rank]).toEqual([undefined, 1]);
});

test('an operator’s third load is queued, and another operator’s first is not', () => {
  const queues = new LoadQueues();
  const loads = Array.from({ length: 5 }, () => queues.enter('alice', unnamedLoad(), never));
  expect(ranks(loads)).toEqual([undefined, undefined, 1, 2, 3]);
  expect(queues.enter('bob', unnamedLoad(), never).rank).toBeUndefined();
});

test('an aborted load leaves the queue, and one that is aborted before does not enter', () => {
  const queues = new LoadQueues();
  const closed = new AbortController();
  for (let load = 0; load < 2; load++) queues.enter('alice', unnamedLoad(), never);
  queues.enter('alice', unnamedLoad(), closed.signal);
  const last = queues.enter('alice', unnamedLoad(), never);
  expect(last.rank).toBe(2);
  closed.abort(new Error('the page was closed'));
  expect(last.rank).toBe(1);
  expect(() => queues.enter('alice', unnamedLoad(), closed.signal)).toThrow('the page was closed');
});

test('a full queue refuses the next load of its operator in clear words, and of no other', () => {
  const queues = new LoadQueues();
  const loads = Array.from({ length: RUNNING_MAX + WAITING_MAX }, () => queues.enter('alice', unnamedLoad(), never));
  const refused = /^2 of your loads are running and 40 wait in the queue: end one/;
  expect(() => queues.enter('alice', unnamedLoad(), never)).toThrow(refused);
  expect(queues.enter('bob', unnamedLoad(), never).rank).toBeUndefined();
  loads[7]?.leave();
  expect(queues.enter('alice', unnamedLoad(), never).rank).toBe(WAITING_MAX);
});

describeDatabases('a load', ({ dialect, newTarget, open }) => {
  test('is moved by its operator, by its name, from whichever server, until it has left', async () => {
    const target = newTarget();
    const here = new LoadQueues({ database: await open(target), part: strictSupervisor().part('history') });
    const there =
      dialect === 'postgres'
        ? new LoadQueues({ database: await open(target), part: strictSupervisor().part('history') })
        : here;
    let moves = 0;
    const load = here.enter('alice', { name: 'one', seek: (from) => (moves += from === FROM ? 1 : 100) }, never);
    // The listening connections may not be open yet.
    await eventually(async () => expect(await there.seek('alice', 'one', FROM)).toBe(true));
    const before = moves;
    expect(await there.seek('bob', 'one', FROM)).toBe(false);
    expect(await there.seek('alice', 'two', FROM)).toBe(false);
    expect(await there.seek('alice', 'one', FROM)).toBe(true);
    expect(moves).toBe(before + 1);
    load.leave();
    expect(await there.seek('alice', 'one', FROM)).toBe(false);
    here.close();
    there.close();
  });
});

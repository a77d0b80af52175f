import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { FairGate } from './fair-gate.ts';

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn++) await nextTurn();
};

describe('the gate', () => {
  test('senders take turns, however many requests one of them sends', async () => {
    const gate = new FairGate({ atOnce: 1, atOnceOfSender: 1, waitingOfSender: 100 });
    const order: string[] = [];
    const send = (sender: string) => {
      const leave = gate.enter(sender, () => {
        order.push(sender);
        leave?.();
      });
    };
    for (let sent = 0; sent < 5; sent++) send('flood');
    send('a');
    send('b');
    send('a');
    await turns(20);
    expect(order).toEqual(['flood', 'a', 'b', 'flood', 'a', 'flood', 'flood', 'flood']);
  });

  test('one request starts per turn of the event loop', async () => {
    const gate = new FairGate({ atOnce: 8, atOnceOfSender: 8, waitingOfSender: 100 });
    let started = 0;
    for (let sent = 0; sent < 4; sent++) gate.enter('a', () => started++);
    const seen: number[] = [started];
    for (let turn = 0; turn < 4; turn++) {
      await nextTurn();
      seen.push(started);
    }
    expect(seen).toEqual([0, 1, 2, 3, 4]);
  });

  test('more requests start per turn where it is allowed, in the same order', async () => {
    let startsNow = 3;
    const gate = new FairGate({
      atOnce: 1,
      atOnceOfSender: 1,
      waitingOfSender: 100,
      startsNow: () => startsNow,
    });
    const started: string[] = [];
    for (const sender of ['a', 'a', 'a', 'a', 'b', 'c']) {
      const leave = gate.enter(sender, () => {
        started.push(sender);
        leave?.();
      });
    }
    await nextTurn();
    expect(started).toEqual(['a', 'b', 'c']);
    startsNow = 1;
    await nextTurn();
    expect(started).toEqual(['a', 'b', 'c', 'a']);
    startsNow = 0;
    await turns(3);
    expect(started).toHaveLength(4);
    startsNow = 3;
    await nextTurn();
    expect(started).toHaveLength(6);
  });

  test('slow requests of one sender leave places for others', async () => {
    const gate = new FairGate({ atOnce: 4, atOnceOfSender: 2, waitingOfSender: 100 });
    const started: string[] = [];
    for (let sent = 0; sent < 10; sent++) gate.enter('slow', () => started.push('slow'));
    gate.enter('a', () => started.push('a'));
    await turns(20);
    expect(started).toEqual(['slow', 'a', 'slow']);
  });

  test('more requests of a sender than may wait are refused, and those of others are not', async () => {
    const gate = new FairGate({ atOnce: 1, atOnceOfSender: 1, waitingOfSender: 2 });
    const enter = (sender: string) => gate.enter(sender, () => {});
    expect([enter('a'), enter('a'), enter('a'), enter('b')].map((leave) => leave !== undefined)).toEqual([
      true,
      true,
      false,
      true,
    ]);
  });

  test('a request that leaves while it waits never starts, and frees its place in the queue', async () => {
    const gate = new FairGate({ atOnce: 1, atOnceOfSender: 1, waitingOfSender: 1 });
    let hasStarted = false;
    const leave = gate.enter('a', () => {
      hasStarted = true;
    });
    leave?.();
    await turns(3);
    expect(hasStarted).toBe(false);
    expect(gate.enter('a', () => {})).toBeDefined();
  });

  test('holds its limits, starts every request once and leaves none, in any order of arrivals and ends', async () => {
    const step = fc.record({
      sender: fc.constantFrom('a', 'b', 'c'),
      leavesEarly: fc.boolean(),
      staysTurns: fc.nat(4),
      pause: fc.nat(2),
    });
    const limits = fc.record({
      atOnce: fc.integer({ min: 1, max: 4 }),
      atOnceOfSender: fc.integer({ min: 1, max: 4 }),
      waitingOfSender: fc.integer({ min: 1, max: 6 }),
    });
    await fc.assert(
      fc.asyncProperty(limits, fc.array(step, { maxLength: 30 }), async (chosen, steps) => {
        const gate = new FairGate(chosen);
        const running = new Map<string, number>();
        const change = (sender: string, by: number) => running.set(sender, (running.get(sender) ?? 0) + by);
        let expected = 0;
        let started = 0;
        const stays: Promise<void>[] = [];
        for (const { sender, leavesEarly, staysTurns, pause } of steps) {
          const leave = gate.enter(sender, () => {
            started++;
            change(sender, 1);
            expect(running.get(sender)).toBeLessThanOrEqual(chosen.atOnceOfSender);
            expect([...running.values()].reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(chosen.atOnce);
            stays.push(
              turns(staysTurns).then(() => {
                change(sender, -1);
                leave?.();
                leave?.();
              }),
            );
          });
          if (leavesEarly) leave?.();
          else if (leave) expected++;
          await turns(pause);
        }
        await turns(30 * 5);
        await Promise.all(stays);
        expect(started).toBe(expected);
      }),
      { numRuns: 60 },
    );
  });

  test('each other sender starts at most one request more than the own ones that wait before', async () => {
    const arrival = fc.record({ sender: fc.constantFrom('a', 'b', 'c', 'd'), pause: fc.nat({ max: 1 }) });
    await fc.assert(
      fc.asyncProperty(
        fc.array(arrival, { maxLength: 60 }),
        fc.array(fc.nat({ max: 16 }), { maxLength: 5 }).map((some) => [...some, 1]),
        async (arrivals, starts) => {
          let turn = 0;
          const startsNow = () => starts[turn++ % starts.length] ?? 1;
          const gate = new FairGate({ atOnce: 1, atOnceOfSender: 1, waitingOfSender: 60, startsNow });
          const started: string[] = [];
          const waiting = new Map<string, number>();
          const overtaken: object[] = [];
          for (const { sender, pause } of arrivals) {
            const ownBefore = waiting.get(sender) ?? 0;
            const startedBefore = started.length;
            waiting.set(sender, ownBefore + 1);
            const leave = gate.enter(sender, () => {
              const meanwhile = Map.groupBy(started.slice(startedBefore), (name) => name);
              for (const [name, { length }] of meanwhile)
                if (length > (name === sender ? ownBefore : ownBefore + 1)) overtaken.push({ sender, name, length });
              started.push(sender);
              waiting.set(sender, (waiting.get(sender) ?? 0) - 1);
              leave?.();
            });
            await turns(pause);
          }
          await turns(6 * (arrivals.length + 1));
          expect(overtaken).toEqual([]);
          expect(started).toHaveLength(arrivals.length);
        },
      ),
      { numRuns: 100 },
    );
  });
});

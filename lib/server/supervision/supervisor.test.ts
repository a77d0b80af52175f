import { beforeEach, describe, expect, test } from 'vitest';
import { addMs, localInstant } from '#lib/time/instant.ts';
import { DatabaseFailure, type DatabaseProblem } from '../database/database-failure.ts';
import { LeaseLost } from '../database/writer-lease.ts';
import { Supervisor } from './supervisor.ts';

let at = localInstant(0);
let logged: string[] = [];
let supervisor: Supervisor;
beforeEach(() => {
  at = localInstant(1000);
  logged = [];
  const log = (details: object, text: string) => void logged.push(`${text} ${(details as { part: string }).part}`);
  supervisor = new Supervisor({ now: () => at, log: { warn: log, error: log } as never });
});
const fail = (kind: DatabaseProblem) => () => {
  throw new DatabaseFailure(kind, 'no such column');
};

describe('Supervisor', () => {
  test.each([
    ['damaged', 'database_damaged'],
    ['denied', 'database_denied'],
    ['full', 'database_full'],
  ] as const)('reports a database that is %s as %s at the first failure', async (kind, reason) => {
    const part = supervisor.part('watch');
    expect(await part.run(fail(kind))).toBe(false);
    expect(supervisor.failing).toEqual([{ part: 'watch', of: undefined, since: at, reason }]);
    expect(supervisor.failures.get('watch')).toBe(1);
  });

  test('logs a failure once, keeps when it began, and reports it until 30 s after the last one', async () => {
    const part = supervisor.part('delivery');
    const since = at;
    for (let second = 0; second < 60; second++) {
      await part.run(() => Promise.reject(new TypeError('not a function')));
      at = addMs(at, 1000);
    }
    const failure = { part: 'delivery', of: undefined, since, reason: 'defect' };
    expect(supervisor.failing).toEqual([failure]);
    expect(supervisor.failures.get('delivery')).toBe(60);
    await part.run(() => 'works');
    expect([supervisor.failing, supervisor.recent]).toEqual([[], [failure]]);
    at = addMs(at, 29_000);
    expect(supervisor.recent).toEqual([]);
    expect(logged).toEqual(['a part of the server fails delivery', 'a part of the server works again delivery']);
  });

  test('reports a part that fails at every second try without a pause', async () => {
    const part = supervisor.part('watch');
    for (let pass = 0; pass < 20; pass++) {
      await part.run(() => Promise.reject(new Error('constraint')));
      at = addMs(at, 5000);
      await part.run(() => undefined);
      at = addMs(at, 5000);
      expect(supervisor.recent).toMatchObject([{ part: 'watch' }]);
    }
    expect(logged).toEqual(['a part of the server fails watch']);
  });

  test('leaves the loss of the lease or of the shared database to those that report it', async () => {
    const part = supervisor.part('writer');
    await part.run(() => Promise.reject(new LeaseLost('another')));
    await part.run(fail('lost'));
    expect(supervisor.recent).toEqual([]);
    expect(logged).toEqual([]);
  });

  test('reports a busy database only after 10 s without success', async () => {
    const part = supervisor.part('overview');
    await part.run(fail('in-use'));
    at = addMs(at, 9000);
    await part.run(fail('in-use'));
    expect(supervisor.recent).toEqual([]);
    await part.run(() => undefined);
    at = addMs(at, 9000);
    await part.run(fail('in-use'));
    expect(supervisor.recent).toEqual([]);
    at = addMs(at, 10_000);
    await part.run(fail('in-use'));
    expect(supervisor.recent).toMatchObject([{ reason: 'database_busy' }]);
  });

  test('names a part once, however many of its works fail, and forgets those that ended', async () => {
    const [one, other] = [supervisor.part('delivery', 'a'), supervisor.part('delivery', 'b')];
    await one.run(fail('damaged'));
    await other.run(fail('damaged'));
    expect(supervisor.recent).toHaveLength(1);
    expect(supervisor.failing.map(({ of }) => of)).toEqual(['a', 'b']);
    one.end();
    other.rest();
    expect(supervisor.recent).toEqual([]);
  });

  test('tells for how long a part has not succeeded, unless it rests', async () => {
    const part = supervisor.part('watch');
    expect(supervisor.doneSeconds.has('watch')).toBe(false);
    await part.run(() => undefined);
    at = addMs(at, 7000);
    expect(supervisor.doneSeconds.get('watch')).toBe(7);
    part.rest();
    expect(supervisor.doneSeconds.has('watch')).toBe(false);
  });
});

import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { localInstant } from '#lib/time/instant.ts';
import { DAY_MS } from '#lib/time/time-units.ts';
import { NO_MARK, ROWS_AT_ONCE, type RowsMark, type SharedRow } from '../ports/shared-rows.ts';
import type { RedisConnection } from './connection/redis-connection.ts';
import { RedisFailure } from './connection/redis-failure.ts';
import { redisKey } from './connection/redis-keys.ts';
import type { RedisScript } from './connection/redis-script.ts';
import { RedisRows } from './redis-rows.ts';
import { connectTo, hasRedis, type RedisServer, startRedis } from './redis-server.fixture.ts';

const KEYS = ['meta', 'versions', 'all'].map((part) => redisKey('rows', 'test', part));

const server = fc.constantFrom(0, 0, 1, 1, 2);
const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        do: fc.constant('write' as const),
        at: server,
        id: fc.constantFrom('a', 'b', 'c', 'd'),
        revision: fc.integer({ min: 1, max: 30 }),
        isGiven: fc.boolean(),
      }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        do: fc.constant('exchange' as const),
        at: server,
        answer: fc.constantFrom(...(['comes', 'comes', 'comes', 'is lost', 'never asked'] as const)),
      }),
    },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('flush' as const) }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constantFrom('copy' as const, 'go back' as const) }) },
  ),
  { maxLength: 40 },
);

/** Of one server: what it knows, and what of it the store may not have. */
class Copy {
  readonly rows = new Map<string, SharedRow>();
  readonly unsent = new Set<string>();
  mark: RowsMark = NO_MARK;

  take(row: SharedRow): boolean {
    const known = this.rows.get(row.id);
    if (known && (known.revision > row.revision || (known.revision === row.revision && known.text >= row.text)))
      return false;
    this.rows.set(row.id, row);
    return true;
  }
}

describe.skipIf(!hasRedis())('a table of several servers', () => {
  let redis: RedisServer;
  let connection: RedisConnection;
  beforeAll(async () => {
    redis = await startRedis();
    connection = await connectTo(redis.target, { timeoutMs: 5000 });
  });
  afterAll(async () => {
    connection.close();
    await redis.remove();
  });

  test('whatever is lost, copied, put back or never answered, in the end all have the newest that one of them had', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (plan) => {
        await redis.admin('FLUSHALL');
        let run = 0;
        let answer: 'comes' | 'is lost' | 'never asked' = 'comes';
        const unsure = {
          async run(script: RedisScript, keys: readonly string[], args: readonly string[]) {
            if (answer === 'never asked') throw new RedisFailure('lost', 'not sent', false);
            const result = await connection.run(script, keys, args);
            if (answer === 'is lost') throw new RedisFailure('slow', 'no answer', true);
            return result;
          },
          get state() {
            return { kind: 'reachable', since: localInstant(0), server: `run ${run}` } as const;
          },
        };
        const rows = new RedisRows({
          connection: unsure as unknown as RedisConnection,
          log: { warn: () => undefined } as never,
          name: 'test',
          keptMax: 100,
          keptMs: DAY_MS,
        });
        const copies = [new Copy(), new Copy(), new Copy()];
        const newest = new Copy();
        const exchange = async (copy: Copy): Promise<boolean> => {
          const given = [...copy.unsent].slice(0, ROWS_AT_ONCE).flatMap((id) => copy.rows.get(id) ?? []);
          const result = await rows.exchange(copy.mark, given);
          if (result.isAnew) for (const id of copy.rows.keys()) copy.unsent.add(id);
          if (result.isWritten) for (const { id } of given) copy.unsent.delete(id);
          for (const row of result.rows) if (copy.take(row)) copy.unsent.delete(row.id);
          copy.mark = result.mark;
          return result.isAnew || result.isMore || copy.unsent.size > 0;
        };
        for (const step of plan) {
          switch (step.do) {
            case 'write': {
              const row = { id: step.id, revision: step.revision, text: `of ${step.at} ${step.revision}` };
              if (copies[step.at]?.take(row)) copies[step.at]?.unsent.add(step.id);
              newest.take(row);
              if (step.isGiven) await exchange(copies[step.at] as Copy);
              break;
            }
            case 'exchange':
              answer = step.answer;
              await exchange(copies[step.at] as Copy).catch((error: unknown) => {
                if (!(error instanceof RedisFailure)) throw error;
              });
              answer = 'comes';
              break;
            case 'flush':
              await redis.admin('DEL', ...KEYS);
              break;
            case 'copy':
              for (const key of KEYS) await redis.admin('COPY', key, `copy of ${key}`, 'REPLACE');
              break;
            case 'go back':
              for (const key of KEYS) await redis.admin('COPY', `copy of ${key}`, key, 'REPLACE');
              run++;
          }
        }
        for (let turn = 0; turn < 3; turn++) for (const copy of copies) while (await exchange(copy));
        const sorted = (copy: Copy) => [...copy.rows.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
        for (const copy of copies) expect(sorted(copy)).toEqual(sorted(newest));
      }),
      { numRuns: 1500 },
    );
  });
});

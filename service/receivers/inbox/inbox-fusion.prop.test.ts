import fc from 'fast-check';
import { expect, test } from 'vitest';
import { addMs, compareInstants, epochMs } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { eventually } from '#testing/eventually.ts';
import { PostgresFailure } from '../../postgres/postgres-failure.ts';
import type { Observation } from '../../sources/observation.ts';
import { makeTestSurroundings, START } from '../feeds/test-surroundings.fixture.ts';
import { alongMs, feedOf, fixOf, keyOf, parsedOf, WORLD } from '../fusion/fusion.fixture.ts';
import { InboxFusion, type RecordedPast } from './inbox-fusion.ts';
import { MemoryInbox } from './memory-inbox.fixture.ts';
import { Outbox } from './outbox.ts';

const STEP_MS = 100;

/** A database that can be lost, with what it has recorded. */
function database() {
  const time = makeTestSurroundings();
  const { now } = time.surroundings;
  const inbox = new MemoryInbox(now);
  const recorded: Observation[] = [];
  let unwritten = 0;
  const lately = () =>
    recorded
      .filter(({ observedAt }) => observedAt > addMs(now(), -MINUTE_MS))
      .sort((a, b) => compareInstants(a.observedAt, b.observedAt));
  const past: RecordedPast = {
    append(observations) {
      if (inbox.isLost) unwritten += observations.length;
      else recorded.push(...observations);
    },
    flush: () => Promise.resolve(),
    state: () => ({
      problem: undefined,
      oldestAt: undefined,
      bytes: 0,
      segments: 0,
      damagedSegments: 0,
      overdue: undefined,
      dropped: { untimely: 0, unstorable: 0, unwritten },
    }),
    async recordedLately() {
      if (inbox.isLost) throw new PostgresFailure('the database is lost', true);
      return lately();
    },
  };
  return { time, now, inbox, past, recorded };
}

interface Trouble {
  readonly kind: 'kill' | 'loss';
  readonly atStep: number;
  /** How long nobody records, or the database is away. */
  readonly steps: number;
}

const trouble: fc.Arbitrary<Trouble> = fc.record({
  kind: fc.constantFrom('kill' as const, 'loss' as const),
  atStep: fc.integer({ min: 5, max: 50 }),
  steps: fc.nat(15),
});

test('whoever records when, and however often the database is lost: each fix that was heard is recorded once', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(trouble, { maxLength: 3 }),
      fc.array(fc.record({ everySteps: fc.integer({ min: 3, max: 10 }), phase: fc.nat(9) }), {
        minLength: 1,
        maxLength: 3,
      }),
      async (troubles, stations) => {
        const { time, now, inbox, past, recorded } = database();
        const { surroundings } = time;
        const outboxes = stations.map((_, index) => new Outbox({ inbox, service: `service ${index}`, surroundings }));
        let fusion: InboxFusion | undefined;
        const heard = new Set<string>();
        const log = (entry: string) => expect.fail(entry);
        /** Of each outbox, what was added and is not sent: until it is, the outbox compresses or waits for time. */
        const unsent = stations.map(() => 0);
        /** Until all that goes on now waits for time again: how long it takes to compress a batch is of no consequence. */
        const rest = () =>
          eventually(
            () =>
              expect(time.waiting()).toBeGreaterThanOrEqual(
                (fusion === undefined ? 0 : 1) + unsent.filter((count) => count > 0).length,
              ),
            1,
          );
        for (let step = 0; step < 110; step += 1) {
          const isIn = (kind: Trouble['kind']) =>
            troubles.some((each) => each.kind === kind && step >= each.atStep && step <= each.atStep + each.steps);
          inbox.isLost = isIn('loss');
          if (isIn('kill')) {
            // Killed: what it had in memory is gone, whatever it was about to do.
            await fusion?.close();
            fusion = undefined;
          } else if (fusion === undefined && !inbox.isLost) {
            fusion = await InboxFusion.begin({ past, inbox, service: 'recorder', surroundings, log });
          }
          if (step < 60) {
            for (const [index, { everySteps, phase }] of stations.entries()) {
              if (step % everySteps !== phase % everySteps) continue;
              const timeMs = epochMs(now());
              const place = alongMs(timeMs - epochMs(START));
              const fix = fixOf({ trackKey: keyOf(index), feedTimeMs: timeMs, ...place });
              outboxes[index]!.add(feedOf(`station ${index}`), parsedOf([fix], timeMs), now());
              unsent[index]! += 1;
              void outboxes[index]!.sent().then(() => {
                unsent[index]! -= 1;
              });
              heard.add(`${keyOf(index)} ${timeMs}`);
            }
          }
          time.move(STEP_MS);
          await rest();
          await Promise.resolve();
        }
        await eventually(async () => {
          time.move(STEP_MS);
          await rest();
          expect(unsent.every((count) => count === 0)).toBe(true);
          expect(inbox.rows).toEqual([]);
        }, 2);
        const named = recorded.map(({ sourceId, observedAt }) => `${sourceId} ${epochMs(observedAt)}`);
        expect(new Set(named)).toEqual(heard);
        expect(named.length).toBe(heard.size);
        expect(fusion!.live('adsb', WORLD, now()).length).toBeGreaterThan(0);
        await fusion!.close();
        for (const outbox of outboxes) await outbox.close();
      },
    ),
    { numRuns: 40 },
  );
});

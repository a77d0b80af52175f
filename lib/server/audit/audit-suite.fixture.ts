import { beforeEach, describe, expect, test } from 'vitest';
import type { AuditEvent } from '#lib/api/people/audit-event.ts';
import { addMs, type LocalInstant, localInstant } from '#lib/time/instant.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import type { AuditLog } from './audit-log.ts';
import type { Actor } from './audit-row.ts';

const anna: Actor = { operator: { id: 'anna', name: 'anna' }, address: '192.0.2.7', requestId: 'r-1' };
const viewNamed = (view: string): AuditEvent => ({ kind: 'view_added', view, shared: false });
const nameOf = (event: AuditEvent) => ('view' in event && event.view !== null ? event.view : event.kind);

export interface TwoAudits {
  readonly logs: readonly [AuditLog, AuditLog];
  /** Lets each know what the other recorded. */
  readonly meet: () => Promise<void>;
}

/** The contract of the audit of several processes. */
export function declareAuditSuite(name: string, make: (now: () => LocalInstant) => Promise<TwoAudits>): void {
  let now: LocalInstant;
  let one: AuditLog;
  let other: AuditLog;
  let meet: TwoAudits['meet'];
  beforeEach(async () => {
    now = localInstant(Date.UTC(2026, 10, 22, 12));
    ({
      logs: [one, other],
      meet,
    } = await make(() => now));
  });
  const read = (log: AuditLog) => log.read({ limit: 1000 });

  describe(`${name} as the audit of several processes`, () => {
    test('what one records every other reads, whole and in the same order', async () => {
      for (let index = 0; index < 20; index++) {
        now = addMs(now, SECOND_MS);
        (index % 3 ? one : other).record(anna, viewNamed(String(index)));
      }
      await meet();
      expect(read(other)).toEqual(read(one));
      expect(read(one).map(({ event }) => nameOf(event))).toEqual(
        Array.from({ length: 20 }, (_, at) => String(19 - at)),
      );
      expect(read(one)[0]).toMatchObject({ operator: anna.operator, address: anna.address, request_id: 'r-1' });
    });

    test('what happens again after others have read it is one entry, with how often', async () => {
      one.record(anna, viewNamed('x'));
      await meet();
      now = addMs(now, SECOND_MS);
      one.record(anna, viewNamed('x'));
      other.record(anna, viewNamed('y'));
      await meet();
      for (const log of [one, other])
        expect(read(log).map(({ event, times }) => [nameOf(event), times])).toEqual([
          ['y', 1],
          ['x', 2],
        ]);
      expect(read(other)).toEqual(read(one));
    });

    test('pages go on at whichever is asked next', async () => {
      for (let index = 0; index < 30; index++) {
        (index % 2 ? one : other).record(anna, viewNamed(String(index)));
        if (index % 5 === 0) now = addMs(now, 1);
      }
      await meet();
      const seen: string[] = [];
      let before: string | undefined;
      for (let page = 0; page < 6; page++) {
        const entries = (page % 2 ? one : other).read({ limit: 5, before });
        seen.push(...entries.map(({ event }) => nameOf(event)));
        before = entries.at(-1)?.id;
      }
      expect(new Set(seen).size).toBe(30);
    });
  });
}

import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { WatchedNow } from '#lib/api/watching/zones.ts';
import type { AlarmKind } from '#lib/zones/alarm.ts';

/** Alarms that are not ended and equal in these fields. */
export interface OpenAlarms {
  readonly kind: AlarmKind;
  readonly simulated: boolean;
  readonly test: boolean;
  /** A permit covers them: not announced. */
  readonly expected: boolean;
  readonly count: number;
}

/** Of a zone that names a destination. */
export interface AnnouncedZone {
  readonly id: string;
  readonly name: string;
  /** Without a rule for entries nothing says that it is empty. */
  readonly hasEntryRule: boolean;
  /** null: not watched yet, or outside its hours. */
  readonly watched: WatchedNow['state'] | null;
  /** Why it is not, or only partly, watched. */
  readonly reason: WatchedNow['reason'];
  readonly open: readonly OpenAlarms[];
  /** That was opened last and is not expected. */
  readonly last: Pick<
    Alarm,
    'id' | 'kind' | 'layer' | 'track' | 'opened_at' | 'state' | 'ended' | 'simulated' | 'test'
  > | null;
}

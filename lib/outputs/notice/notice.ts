import type { ANNOUNCED } from '#lib/api/outputs/destinations.ts';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import type { LonLat } from '#lib/geo/great-circle.ts';
import type { UnitSystem } from '#lib/model/units.ts';
import type { UpstreamInstant } from '#lib/time/instant.ts';

/** `summary`: "and 41 more". */
export type NoticeType = (typeof ANNOUNCED)[number] | 'escalated' | 'summary' | 'trial';

/** A message about alarms to one destination. */
export interface Notice {
  /** UUID, the same over all tries. */
  readonly id: string;
  readonly type: NoticeType;
  /** When it was decided. */
  readonly at: UpstreamInstant;
  /** As they are when sent. The first is the one that made it; none in a trial. */
  readonly alarms: readonly Alarm[];
  /** Alarms that are in it and not listed. */
  readonly more: number;
  /** Number of zones of all alarms in it. */
  readonly zones: number;
  /** By id, where an alarm has no evidence. */
  readonly zoneCentres: ReadonlyMap<string, LonLat>;
  /** Replay at the moment; null without `PUBLIC_URL`, and in a trial. */
  readonly link: string | null;
  readonly units: UnitSystem;
  /** IANA name. */
  readonly timeZone: string;
}

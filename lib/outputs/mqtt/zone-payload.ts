import { type AlarmKind, isSuspension } from '#lib/zones/alarm.ts';
import type { AnnouncedZone, OpenAlarms } from './zone-state.ts';

/** Of an alarm about a track that is inside. */
const INSIDE: readonly AlarmKind[] = [
  ...(['entered', 'first_received_inside', 'crossed_between', 'inside_longer'] as const),
  ...(['speed', 'height', 'emergency'] as const),
];

/** `not_now`: outside its hours, or not watched yet. */
export const WATCHED_STATES = ['watched', 'partly', 'not_watched', 'not_now'] as const;

export interface ZonePayload {
  /** The destination that published it. */
  readonly destination: string;
  /** null: not known, since the zone is not, or only partly, watched, or has no rule for entries, or a suspended rule. */
  readonly occupied: 'ON' | 'OFF' | null;
  /** Without those that a permit covers. null: not known. */
  readonly open_alarms: number | null;
  /** Of the open alarms, those that are simulated, and those of test broadcasts. */
  readonly simulated: number;
  readonly test: number;
  readonly watched: (typeof WATCHED_STATES)[number];
  /** As in the API; null while it is watched. */
  readonly watched_reason: AnnouncedZone['reason'];
  readonly last_alarm: AnnouncedZone['last'];
}

/** Never OFF or 0 where the zone is not watched. */
export function zonePayload(
  destination: string,
  { watched, reason, open, last, hasEntryRule }: AnnouncedZone,
): ZonePayload {
  const announced = open.filter(({ expected }) => !expected);
  const inside = sum(open.filter(({ kind }) => INSIDE.includes(kind)));
  const alarms = sum(announced);
  // A suspended rule may miss the track that is inside.
  const isEmptyKnown = hasEntryRule && !open.some(({ kind }) => isSuspension(kind));
  return {
    destination,
    occupied: known(watched, inside) ? (inside > 0 ? 'ON' : isEmptyKnown ? 'OFF' : null) : null,
    open_alarms: known(watched, alarms) ? alarms : null,
    simulated: sum(announced.filter(({ simulated }) => simulated)),
    test: sum(announced.filter(({ test }) => test)),
    watched: watched ?? 'not_now',
    watched_reason: reason,
    last_alarm: last,
  };
}

/** Where a part is read, something may be there and nothing is sure to be missing. */
function known(watched: AnnouncedZone['watched'], count: number): boolean {
  return watched === 'watched' || (watched === 'partly' && count > 0);
}

function sum(alarms: readonly OpenAlarms[]): number {
  return alarms.reduce((total, { count }) => total + count, 0);
}

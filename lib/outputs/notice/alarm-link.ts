import { formatAddress, parseAddress } from '#lib/api/address-state.ts';
import type { Alarm } from '#lib/api/watching/alarms.ts';
import { addMs, instantOf, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';

const AROUND_MS = 5 * MINUTE_MS;
/** About 3 km on a screen. */
const ZOOM = 13;

/** @returns the address of a replay at the moment when the alarm opened */
export function alarmLink(origin: string, alarm: Alarm, now: UpstreamInstant): string {
  const cursor = instantOf(alarm.opened_at);
  const last = alarm.evidence.at(-1);
  const after = addMs(cursor, AROUND_MS);
  const address = formatAddress({
    ...parseAddress('').state,
    view: last && { lon: last.longitude, lat: last.latitude, zoom: ZOOM, bearingDeg: 0 },
    selectedRefs: alarm.track === null ? [] : [alarm.track],
    replay: {
      window: { start: addMs(cursor, -AROUND_MS), end: after < now ? after : now },
      area: undefined,
      cursor,
      speed: 1,
    },
  });
  return `${origin}/${address}`;
}

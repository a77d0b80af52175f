import { addMs, type UpstreamInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { cotEvent } from './cot-event.ts';

/** A TAK server answers with a `t-x-c-t-r`; others ignore it. */
export function pingEvent(at: UpstreamInstant): string {
  const stale = addMs(at, MINUTE_MS);
  return cotEvent({ uid: 'lookout-ping', type: 't-x-c-t', how: 'm-r', at, stale, place: undefined });
}

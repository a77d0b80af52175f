import type { Alarm } from '#lib/api/watching/alarms.ts';
import { enterReplay } from '#lib/client/page/enter-replay.ts';
import type { Lookout } from '#lib/client/page/lookout.ts';
import { addMs, parseInstant } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';

const BEFORE_MS = 5 * MINUTE_MS;
const AFTER_MS = 5 * MINUTE_MS;

export function replayAlarm(lookout: Lookout, alarm: Alarm): void {
  const at = parseInstant(alarm.opened_at);
  if (at === undefined) return;
  const now = lookout.feed.presumedNow();
  const last = alarm.evidence.at(-1);
  if (last) lookout.mapCommands.run({ kind: 'centre', lon: last.longitude, lat: last.latitude });
  const after = addMs(at, AFTER_MS);
  enterReplay(lookout, { window: { start: addMs(at, -BEFORE_MS), end: after < now ? after : now }, cursor: at });
  // Its details say whether the verdict would differ today.
  lookout.zones.openAlarm.set(alarm.id);
}

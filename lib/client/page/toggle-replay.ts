import { addMs } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { lastMinutes } from '../replay/window-form.ts';
import { type Entered, enterReplay } from './enter-replay.ts';

/** How long before the end of the last hour its replay begins: operators ask what just happened. */
const JUST_HAPPENED_MS = 5 * MINUTE_MS;

/** Opens a replay of the last hour, or returns from a replay to live. */
export function toggleReplay(lookout: Entered): void {
  if (lookout.replay.session) lookout.replay.leave();
  else replayLastHour(lookout);
}

/** @param acceptedMax the requests that the operator accepted already */
export function replayLastHour(lookout: Entered, acceptedMax?: number): void {
  const window = lastMinutes(60, lookout.feed.presumedNow());
  enterReplay(lookout, { window, cursor: addMs(window.end, -JUST_HAPPENED_MS), acceptedMax });
}

import { addMs } from '#lib/time/instant.ts';
import { MINUTE_MS } from '#lib/time/time-units.ts';
import { lastMinutes } from '../../replay/window-form.ts';
import { type Entered, enterReplay } from './enter-replay.ts';

/** A replay begins this long before the end of its window: operators ask what just happened. */
const JUST_HAPPENED_MS = 5 * MINUTE_MS;

export function toggleReplay(lookout: Entered): void {
  if (lookout.replay.session) lookout.replay.leave();
  else replayLastMinutes(lookout, lookout.preferences.get().replayMinutes);
}

export function replayLastMinutes(lookout: Entered, minutes: number, acceptedMax?: number): void {
  const window = lastMinutes(minutes, lookout.feed.presumedNow());
  enterReplay(lookout, { window, cursor: addMs(window.end, -JUST_HAPPENED_MS), acceptedMax });
}

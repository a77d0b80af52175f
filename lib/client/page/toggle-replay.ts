import { lastMinutes } from '../replay/window-form.ts';
import { enterReplay } from './enter-replay.ts';
import type { Lookout } from './lookout-context.tsx';

const MINUTES = 60;

/** Opens a replay of the last hour, or returns from a replay to live. */
export function toggleReplay(lookout: Pick<Lookout, 'feed' | 'replay' | 'mapView' | 'layersOn'>): void {
  if (lookout.replay.session) lookout.replay.leave();
  else enterReplay(lookout, { window: lastMinutes(MINUTES, lookout.feed.presumedNow()) });
}

import type { Lookout } from '../lookout-context.tsx';
import { enterReplay } from './enter-replay.ts';
import { lastMinutes } from './window-form.ts';

const MINUTES = 60;

/** From live into the last hour; from a replay back to live. */
export function toggleReplay(lookout: Pick<Lookout, 'engine' | 'replay' | 'mapView' | 'layersOn'>): void {
  if (lookout.replay.playback.mode === 'replay') lookout.replay.command({ do: 'leave' });
  else enterReplay(lookout, { window: lastMinutes(MINUTES, lookout.engine.nowMs() ?? Date.now()) });
}

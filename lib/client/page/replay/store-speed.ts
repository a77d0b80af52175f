import type { ReplayEngine } from '../../replay/replay-engine.ts';
import type { ValueStore } from '../../value-store.ts';
import type { Preferences } from '../preferences.ts';

export function storeSpeed(
  replay: Pick<ReplayEngine, 'session' | 'subscribe'>,
  preferences: ValueStore<Preferences>,
): () => void {
  let session = replay.session;
  let speed = session?.playback.speed;
  return replay.subscribe(() => {
    const before = { session, speed };
    session = replay.session;
    speed = session?.playback.speed;
    if (session === undefined || session !== before.session) return;
    if (speed !== undefined && speed !== before.speed) preferences.set({ ...preferences.get(), replaySpeed: speed });
  });
}

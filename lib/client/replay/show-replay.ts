import type { LiveEngine } from '../live-engine.ts';
import type { ReplayEngine } from './replay-engine.ts';

const SETTLE_MS = 200;

/** Shows the moment at the replay's cursor, and lets time pass while it plays. Returns how to stop. */
export function showReplay(engine: LiveEngine, replay: ReplayEngine): () => void {
  let frame: number | undefined;
  let before: number | undefined;
  let settling: ReturnType<typeof setTimeout> | undefined;
  const play = (nowMs: number) => {
    frame = undefined;
    const passedMs = before === undefined ? 0 : nowMs - before;
    before = nowMs;
    replay.tick(passedMs);
    keepPlaying();
  };
  const keepPlaying = () => {
    const { playback } = replay;
    if (playback.mode === 'replay' && playback.state === 'playing') frame ??= requestAnimationFrame(play);
    // A pause clears the clock, so that resuming does not jump.
    else before = undefined;
  };
  const show = () => {
    const { playback, cursor, area } = replay;
    engine.showPast(
      playback.mode === 'replay' && cursor && area ? { tracks: cursor, atMs: playback.cursor, area } : undefined,
    );
    // Counts and words follow the map at their own pace; the last of several quick moves must not be left out.
    settling ??= setTimeout(() => {
      settling = undefined;
      engine.refresh();
    }, SETTLE_MS);
    keepPlaying();
  };
  const stop = replay.subscribe(show);
  return () => {
    stop();
    clearTimeout(settling);
    if (frame !== undefined) cancelAnimationFrame(frame);
  };
}

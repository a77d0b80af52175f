import type { Display } from '../display/display.ts';
import type { ReplayEngine } from './replay-engine.ts';

const SETTLE_MS = 200;

export function playReplay(display: Display, replay: ReplayEngine): () => void {
  let frame: number | undefined;
  let before: number | undefined;
  let settling: ReturnType<typeof setTimeout> | undefined;
  const play = (nowMs: number) => {
    frame = undefined;
    const passedMs = before === undefined ? 0 : nowMs - before;
    before = nowMs;
    replay.session?.tick(passedMs);
    keepPlaying();
  };
  const keepPlaying = () => {
    if (replay.session?.playback.state === 'playing') frame ??= requestAnimationFrame(play);
    // Reset: the time of a pause does not count when the replay resumes.
    else before = undefined;
  };
  const show = () => {
    const { session } = replay;
    display.showPast(session && { tracks: session.cursor, at: session.playback.cursor, area: session.area });
    // The display throttles its summary: include the last of several quick moves.
    settling ??= setTimeout(() => {
      settling = undefined;
      display.refresh();
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

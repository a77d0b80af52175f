import type { Display } from '../display/display.ts';
import { ChangeListeners, ValueStore } from '../value-store.ts';
import type { ReplayTransport } from './load/replay-transport.ts';
import type { PlaybackCommand } from './playback.ts';
import type { ReplayRequest } from './replay-request.ts';
import { ReplaySession } from './replay-session.ts';
import type { ReplaySummary } from './replay-summary.ts';

/** The replay of the page, at most one: opening another one, or leaving, ends it and its requests. */
export class ReplayEngine {
  readonly #transport: ReplayTransport;
  readonly #listeners = new ChangeListeners();
  #session: ReplaySession | undefined;
  /** The tab of the replay bar. It stays while one replay follows another. */
  readonly tab = new ValueStore<'timeline' | 'tracks'>('timeline');

  constructor(transport: ReplayTransport) {
    this.#transport = transport;
  }

  readonly subscribe = this.#listeners.subscribe;

  /** `undefined` while live; the same object until something changes. */
  readonly summary = (): ReplaySummary | undefined => this.#session?.summary;

  get session(): ReplaySession | undefined {
    return this.#session;
  }

  /** Opens a replay, paused and with a quote. It loads at once where the request allows that price. */
  async open(request: ReplayRequest): Promise<void> {
    const before = this.#session;
    before?.end();
    const session = new ReplaySession(request, before?.playback, this.#transport, () => this.#listeners.notify());
    this.#session = session;
    await session.quote();
  }

  leave(): void {
    this.#session?.end();
    this.#session = undefined;
    this.#listeners.notify();
  }

  command(command: PlaybackCommand): void {
    this.#session?.command(command);
  }
}

const SETTLE_MS = 200;

/** Advances a playing replay in every frame, and shows it on the display. Returns a function that stops. */
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
    // The time is reset, since a pause does not count when the replay resumes.
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

import { backOffMs } from '#lib/async/back-off.ts';
import type { Display } from '../display/display.ts';
import { ChangeListeners, type ReadValue, ValueStore } from '../value-store.ts';
import type { PlaybackCommand } from './playback.ts';
import type { ReplayRequest } from './replay-request.ts';
import type { MakeSession, ReplaySession } from './replay-session.ts';
import type { ReplaySummary } from './replay-summary.ts';

const RETRY = { firstMs: 1000, maxMs: 30_000 };

/**
 * The replay of the page, at most one: opening another one, or leaving, ends it and its requests. The code of sessions
 * arrives with the first replay.
 */
export class ReplayEngine {
  readonly #load: () => MakeSession | Promise<MakeSession>;
  readonly #listeners = new ChangeListeners();
  readonly #opening = new ValueStore(false);
  #make: MakeSession | undefined;
  #session: ReplaySession | undefined;
  /** The latest call of `open` or `leave`. */
  #turn = 0;
  /** The tab of the replay bar. It stays while one replay follows another. */
  readonly tab = new ValueStore<'timeline' | 'tracks'>('timeline');
  /** The element of the panel that takes the list of tracks; `undefined` while the panel shows none. */
  readonly listPlace = new ValueStore<HTMLElement | undefined>(undefined);

  /** @param load is called again after it failed */
  constructor(load: () => MakeSession | Promise<MakeSession>) {
    this.#load = load;
  }

  readonly subscribe = this.#listeners.subscribe;

  /** `undefined` while live; the same object until something changes. */
  readonly summary = (): ReplaySummary | undefined => this.#session?.summary;

  get session(): ReplaySession | undefined {
    return this.#session;
  }

  /** Whether a replay was opened whose code has not arrived. */
  readonly opening: ReadValue<boolean> = this.#opening;

  /** Opens a replay, paused and with a quote. It loads at once where the request allows that price. */
  async open(request: ReplayRequest): Promise<void> {
    const turn = ++this.#turn;
    const make = this.#make ?? (await this.#loaded(turn));
    if (!make || turn !== this.#turn) return;
    this.#opening.set(false);
    const before = this.#session;
    before?.end();
    const session = make(request, before?.playback, () => this.#listeners.notify());
    this.#session = session;
    await session.quote();
  }

  leave(): void {
    this.#turn++;
    this.#opening.set(false);
    this.#session?.end();
    this.#session = undefined;
    this.#listeners.notify();
  }

  /** @returns `undefined` if the replay was left, or replaced, meanwhile */
  async #loaded(turn: number): Promise<MakeSession | undefined> {
    this.#opening.set(true);
    for (let failures = 1; turn === this.#turn; failures++) {
      try {
        this.#make = await this.#load();
        return this.#make;
      } catch {
        // The replay bar, whose code is missing then too, says so.
        await new Promise((resolve) => setTimeout(resolve, backOffMs(failures, RETRY)));
      }
    }
    return undefined;
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

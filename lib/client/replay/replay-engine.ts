import type { ReplayTransport } from './load/replay-transport.ts';
import type { PlaybackCommand } from './playback.ts';
import type { ReplayRequest } from './replay-request.ts';
import { ReplaySession } from './replay-session.ts';
import type { ReplaySummary } from './replay-summary.ts';

type Listener = () => void;

/** The replay of one page, or none: then the page is live. */
export class ReplayEngine {
  readonly #transport: ReplayTransport;
  readonly #listeners = new Set<Listener>();
  #session: ReplaySession | undefined;

  constructor(transport: ReplayTransport) {
    this.#transport = transport;
  }

  /** Called after every change. Returns how to stop. */
  readonly subscribe = (listener: Listener): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** `undefined` while the page is live; the same object until something changes. */
  readonly summary = (): ReplaySummary | undefined => this.#session?.summary;

  get session(): ReplaySession | undefined {
    return this.#session;
  }

  /** Enters the past, paused, and asks what loading it costs. Where that is nothing, it is loaded at once. */
  async open(request: ReplayRequest): Promise<void> {
    const before = this.#session;
    before?.end();
    const session = new ReplaySession(request, before?.playback, this.#transport, () => this.#notify());
    this.#session = session;
    await session.quote();
  }

  /** Back to live; nothing of the replay is kept. */
  leave(): void {
    this.#session?.end();
    this.#session = undefined;
    this.#notify();
  }

  /** Does nothing while the page is live. */
  command(command: PlaybackCommand): void {
    this.#session?.command(command);
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

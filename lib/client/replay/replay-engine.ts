import { ChangeListeners } from '../change-listeners.ts';
import type { ReplayTransport } from './load/replay-transport.ts';
import type { PlaybackCommand } from './playback.ts';
import type { ReplayRequest } from './replay-request.ts';
import { ReplaySession } from './replay-session.ts';
import type { ReplaySummary } from './replay-summary.ts';

export class ReplayEngine {
  readonly #transport: ReplayTransport;
  readonly #listeners = new ChangeListeners();
  #session: ReplaySession | undefined;

  constructor(transport: ReplayTransport) {
    this.#transport = transport;
  }

  readonly subscribe = this.#listeners.subscribe;

  /** `undefined` while live; the same object until something changes. */
  readonly summary = (): ReplaySummary | undefined => this.#session?.summary;

  get session(): ReplaySession | undefined {
    return this.#session;
  }

  /** Paused, with a quote; loads at once where the request allows that price. */
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

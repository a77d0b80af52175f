import 'server-only';

/** @param text `undefined` if any number of notices may have been missed */
export type Hears = (text: string | undefined) => void;

export interface Notices {
  /** @throws DatabaseFailure if notices cannot arrive */
  readonly started: Promise<void>;
  /** Calls `hears` within a second of each commit. @returns the end of listening */
  listen(topic: string, hears: Hears): () => void;
  /** Whether all notices older than a second have arrived; in SQLite, all notices. */
  readonly isCurrent: boolean;
  close(): Promise<void>;
}

export class Listeners {
  readonly #byTopic = new Map<string, Set<Hears>>();

  add(topic: string, hears: Hears): () => void {
    const all = this.#byTopic.get(topic) ?? new Set();
    this.#byTopic.set(topic, all.add(hears));
    return () => all.delete(hears);
  }

  tell(topic: string, text: string): void {
    for (const hears of this.#byTopic.get(topic) ?? []) hears(text);
  }

  missed(): void {
    for (const all of this.#byTopic.values()) for (const hears of all) hears(undefined);
  }
}

import 'server-only';

/** @param text of the notice; `undefined` if any number of notices may have been missed */
export type Hears = (text: string | undefined) => void;

/** Notices of changes, from every server and process that uses the database. */
export interface Notices {
  /** Calls `hears` within a second of each commit that told something about the topic. @returns what ends that */
  listen(topic: string, hears: Hears): () => void;
  /** Whether all notices older than a second have been received; in SQLite, all notices. */
  readonly isCurrent: boolean;
  close(): Promise<void>;
}

/** The listeners of each topic. */
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

  /** Any number of notices may have been missed. */
  missed(): void {
    for (const all of this.#byTopic.values()) for (const hears of all) hears(undefined);
  }
}

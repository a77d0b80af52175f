import 'server-only';

const TOPICS = [
  'alarms',
  'answered-part',
  'demand',
  'frame',
  'lease',
  'operator',
  'plan',
  'retry',
  'schema',
  'seek',
  'session',
  'wanted-part',
  'zones',
] as const;
export type Topic = (typeof TOPICS)[number];

export function isTopic(topic: string): topic is Topic {
  return TOPICS.some((each) => each === topic);
}

/** @param text `undefined` if any number of notices may have been missed */
export type Hears = (text: string | undefined) => void;

export interface Notices {
  /** @throws DatabaseFailure if notices cannot arrive */
  readonly started: Promise<void>;
  /**
   * Calls `hears` within a second of each commit. Any role that may connect to PostgreSQL can send notices: `hears` only
   * takes them as a hint to read the database, and never as content.
   * @param form of the texts; others are ignored. Default: the empty one
   * @returns the end of listening
   */
  listen(topic: Topic, hears: Hears, form?: RegExp): () => void;
  /** Whether all notices older than a second have arrived; in SQLite, all notices. */
  readonly isCurrent: boolean;
  close(): Promise<void>;
}

/** Half of the shortest interval in which a server writes frames or plans: these are never delayed. */
const APART_MS = 50;
/** Beyond it, a listener reads all that may have changed, which costs less than so many single reads. */
const TEXTS_MAX = 64;
const EMPTY = /^$/;

/** Delivers the notices of a topic within `APART_MS` together, equal ones once, and more than `TEXTS_MAX` as missed. */
export class Listeners {
  readonly #byTopic = new Map<Topic, TopicListeners>();

  add(topic: Topic, hears: Hears, form = EMPTY): () => void {
    const known = this.#byTopic.get(topic) ?? new TopicListeners();
    this.#byTopic.set(topic, known);
    const listener = { hears, form };
    known.all.add(listener);
    return () => {
      known.all.delete(listener);
      if (known.all.size === 0) known.end();
    };
  }

  /** @returns false if its listeners refuse it: a server that starts has no listener yet */
  tell(topic: Topic, text: string): boolean {
    const listeners = this.#byTopic.get(topic);
    return listeners === undefined || listeners.all.size === 0 || listeners.tell(text);
  }

  missed(): void {
    for (const topic of this.#byTopic.values()) topic.hear(undefined);
  }
}

class TopicListeners {
  readonly all = new Set<{ readonly hears: Hears; readonly form: RegExp }>();
  readonly #waiting = new Set<string>();
  #timer: NodeJS.Timeout | undefined;

  tell(text: string): boolean {
    if (![...this.all].some(({ form }) => form.test(text))) return false;
    if (this.#timer !== undefined) {
      if (this.#waiting.size <= TEXTS_MAX) this.#waiting.add(text);
      return true;
    }
    this.hear(text);
    this.#timer = setTimeout(() => this.#hearWaiting(), APART_MS).unref();
    return true;
  }

  hear(text: string | undefined): void {
    for (const { hears, form } of this.all) if (text === undefined || form.test(text)) hears(text);
  }

  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting.clear();
  }

  #hearWaiting(): void {
    const texts = [...this.#waiting];
    this.end();
    if (texts.length === 0) return;
    this.#timer = setTimeout(() => this.#hearWaiting(), APART_MS).unref();
    if (texts.length > TEXTS_MAX) this.hear(undefined);
    else for (const text of texts) this.hear(text);
  }
}

/**
 * A value that panels and the map share: they read it, and learn when it changes. A subclass writes it, by named commands.
 * Writing the same value notifies no listener.
 */
export abstract class OwnedValue<T> {
  readonly #listeners = new ChangeListeners();
  readonly subscribe = this.#listeners.subscribe;
  #value: T;

  constructor(initial: T) {
    this.#value = initial;
  }

  readonly get = (): T => this.#value;

  protected write(value: T): void {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    this.#listeners.notify();
  }
}

/** A shared value that is set as a whole. */
export class ValueStore<T> extends OwnedValue<T> {
  readonly set = (value: T): void => this.write(value);
}

/** A value for those who read it only. */
export type ReadValue<T> = Pick<OwnedValue<T>, 'get' | 'subscribe'>;

export class ChangeListeners {
  readonly #all = new Set<() => void>();

  get size(): number {
    return this.#all.size;
  }

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  };

  notify(): void {
    for (const listener of this.#all) listener();
  }
}

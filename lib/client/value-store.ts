/** A value that panels and the map share: they read it, and learn when it changes. Setting the same value notifies no listener. */
export class ValueStore<T> {
  readonly #listeners = new ChangeListeners();
  readonly subscribe = this.#listeners.subscribe;
  #value: T;

  constructor(initial: T) {
    this.#value = initial;
  }

  readonly get = (): T => this.#value;

  readonly set = (value: T): void => {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    this.#listeners.notify();
  };
}

/** A value for those who read it only. */
export type ReadValue<T> = Pick<ValueStore<T>, 'get' | 'subscribe'>;

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

/** Callbacks that are called after every change of something. */
export class ChangeListeners {
  readonly #all = new Set<() => void>();

  get size(): number {
    return this.#all.size;
  }

  /** @returns a function that unsubscribes */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#all.add(listener);
    return () => this.#all.delete(listener);
  };

  notify(): void {
    for (const listener of this.#all) listener();
  }
}

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

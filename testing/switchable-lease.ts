import type { WriterLease } from '#lib/server/database/writer-lease.ts';

export class SwitchableLease implements WriterLease {
  #fence: number | undefined;
  readonly #listeners = new Set<() => void>();

  constructor(fence: number | undefined) {
    this.#fence = fence;
  }

  get fence(): number | undefined {
    return this.#fence;
  }

  set fence(fence: number | undefined) {
    this.#fence = fence;
    for (const changed of this.#listeners) changed();
  }

  onChange(changed: () => void): () => void {
    this.#listeners.add(changed);
    return () => this.#listeners.delete(changed);
  }
}

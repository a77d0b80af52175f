/** A `Storage` over a map, which refuses writes while it is full. */
export class StoredTexts implements Storage {
  [name: string]: unknown;
  readonly kept: Map<string, string>;
  isFull = false;

  constructor(kept: Iterable<readonly [string, string]> = []) {
    this.kept = new Map(kept);
  }

  get length(): number {
    return this.kept.size;
  }

  key(index: number): string | null {
    return [...this.kept.keys()][index] ?? null;
  }

  getItem(key: string): string | null {
    return this.kept.get(key) ?? null;
  }

  setItem(key: string, value: string): void {
    if (this.isFull) throw new DOMException('The quota has been exceeded.', 'QuotaExceededError');
    this.kept.set(key, value);
  }

  removeItem(key: string): void {
    this.kept.delete(key);
  }

  clear(): void {
    this.kept.clear();
  }
}

/** As reading `window.localStorage` does where a browser blocks all cookies. */
export function denied(): never {
  throw new DOMException('Access is denied for this document.', 'SecurityError');
}

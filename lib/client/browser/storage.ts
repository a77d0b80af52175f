import * as z from 'zod/mini';
import { ValueStore } from '../value-store.ts';

const PROBE_KEY = 'lookout.probe';

/**
 * The only door to the browser's storage. Never throws. Reading `window.localStorage` throws where cookies and storage
 * are blocked, and a write throws where the storage is full. Values then last in memory, while the page is open.
 */
export class BrowserStorage {
  readonly #open: () => Storage | null;
  /** Values that the browser refused, as JSON; `undefined`: removed. */
  readonly #refused = new Map<string, string | undefined>();
  readonly #isKept = new ValueStore(true);
  #isProbed = false;

  /** @param open may throw; some browser views inside other programs give null */
  constructor(open: () => Storage | null) {
    this.#open = open;
  }

  /** `undefined` if there is no value, or none that the schema accepts. */
  readonly read = <T>(key: string, schema: z.core.$ZodType<T>): T | undefined => {
    let text: string | null | undefined;
    if (this.#refused.has(key)) text = this.#refused.get(key);
    else this.#attempt((storage) => (text = storage.getItem(key)));
    if (text === null || text === undefined) return undefined;
    try {
      return z.safeParse(schema, JSON.parse(text)).data;
    } catch {
      return undefined;
    }
  };

  /** @param value of JSON; `undefined` removes it */
  readonly write = (key: string, value: unknown): void => {
    const text = value === undefined ? undefined : JSON.stringify(value);
    const isKept = this.#attempt((storage) => {
      if (text === undefined) storage.removeItem(key);
      else storage.setItem(key, text);
    });
    this.#isKept.set(isKept);
    if (isKept) this.#refused.delete(key);
    else this.#refused.set(key, text);
  };

  /** Whether values outlast the page, as far as the last write shows. */
  readonly isKept = (): boolean => {
    if (!this.#isProbed) {
      this.#isProbed = true;
      this.#isKept.set(
        this.#attempt((storage) => {
          storage.setItem(PROBE_KEY, '1');
          storage.removeItem(PROBE_KEY);
        }),
      );
    }
    return this.#isKept.get();
  };

  readonly subscribe = this.#isKept.subscribe;

  #attempt(use: (storage: Storage) => void): boolean {
    try {
      const storage = this.#open();
      if (storage === null) return false;
      use(storage);
      return true;
    } catch {
      return false;
    }
  }
}

/** All windows of this browser share it. */
export const localStore = new BrowserStorage(() => window.localStorage);
/** Each window has its own, which survives a reload. */
export const sessionStore = new BrowserStorage(() => window.sessionStorage);

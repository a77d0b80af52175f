import { describe, expect, test } from 'vitest';
import { ValueStore } from '../value-store.ts';
import { defaultPreferences } from './preferences.ts';
import { openedPreferences, type PreferencesWindow, storePreferences } from './store-preferences.ts';

type Heard = (event: { readonly key: string | null }) => void;

/** As in browsers, a write notifies the other windows only if it changes something. */
class Browser {
  readonly windows: { readonly page: PreferencesWindow; readonly heard: Set<Heard> }[] = [];
  writes = 0;
  readonly #kept = new Map<string, string>();

  open(session = new Map<string, string>(), operator?: string) {
    const heard = new Set<Heard>();
    const page: PreferencesWindow = {
      localStorage: {
        getItem: (key) => this.#kept.get(key) ?? null,
        setItem: (key, value) => {
          this.writes += 1;
          if (this.#kept.get(key) === value) return;
          this.#kept.set(key, value);
          for (const other of this.windows)
            if (other.heard !== heard) for (const notify of other.heard) notify({ key });
        },
      },
      sessionStorage: {
        getItem: (key) => session.get(key) ?? null,
        setItem: (key, value) => void session.set(key, value),
      },
      addEventListener: (_, listener) => void heard.add(listener),
      removeEventListener: (_, listener) => void heard.delete(listener),
    };
    this.windows.push({ page, heard });
    const store = new ValueStore(openedPreferences(page, operator));
    return { store, session, close: storePreferences(store, page, operator) };
  }

  clear() {
    this.#kept.clear();
    for (const { heard } of this.windows) for (const notify of heard) notify({ key: null });
  }
}

test('operators who share a browser have preferences of their own, and begin with what was chosen without sign-in', () => {
  const browser = new Browser();
  const nobody = browser.open();
  nobody.store.set({ ...nobody.store.get(), units: 'imperial' });
  const [ada, bob] = [browser.open(new Map(), 'ada'), browser.open(new Map(), 'bob')];
  ada.store.set({ ...ada.store.get(), units: 'aviation', zone: 'local' });
  expect(bob.store.get()).toMatchObject({ units: 'imperial', zone: 'utc' });
  expect(nobody.store.get().units).toBe('imperial');
  expect(browser.open(new Map(), 'ada').store.get()).toMatchObject({ units: 'aviation', zone: 'local' });
});

describe('two windows', () => {
  test('share what either changes, with one write for each change', () => {
    const browser = new Browser();
    const [one, other] = [browser.open(), browser.open()];
    one.store.set({ ...one.store.get(), units: 'aviation' });
    expect(other.store.get().units).toBe('aviation');
    other.store.set({ ...other.store.get(), zone: 'local' });
    expect(one.store.get()).toMatchObject({ units: 'aviation', zone: 'local' });
    expect(browser.writes).toBe(2);
  });

  test('each keep their own panel and legend, also when the other changes something', () => {
    const browser = new Browser();
    const [one, other] = [browser.open(), browser.open()];
    one.store.set({ ...one.store.get(), panelOpen: false });
    expect(other.store.get().panelOpen).toBe(true);
    other.store.set({ ...other.store.get(), theme: 'light' });
    expect(one.store.get()).toMatchObject({ panelOpen: false, theme: 'light' });
  });

  test('a window that was closed hears nothing more, and cleared storage brings the defaults', () => {
    const browser = new Browser();
    const [one, other] = [browser.open(), browser.open()];
    one.store.set({ ...one.store.get(), units: 'imperial' });
    other.close();
    browser.clear();
    expect(one.store.get()).toEqual(defaultPreferences);
    expect(other.store.get().units).toBe('imperial');
  });
});

test('a reload brings back this window’s panel, whatever another window did; a new window starts like the last', () => {
  const browser = new Browser();
  const one = browser.open();
  const other = browser.open();
  one.store.set({ ...one.store.get(), panelOpen: false });
  other.store.set({ ...other.store.get(), legendOpen: false });
  one.close();
  expect(browser.open(one.session).store.get()).toMatchObject({ panelOpen: false, legendOpen: true });
  expect(browser.open().store.get()).toMatchObject({ panelOpen: true, legendOpen: false });
});

test('a storage that refuses costs what would be kept, and nothing else', () => {
  const refuse = () => {
    throw new Error('SecurityError');
  };
  const storage = { getItem: refuse, setItem: refuse };
  const page = {
    localStorage: storage,
    sessionStorage: storage,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  };
  const store = new ValueStore(openedPreferences(page, undefined));
  storePreferences(store, page, undefined);
  expect(() => store.set({ ...defaultPreferences, units: 'imperial' })).not.toThrow();
  expect(store.get().units).toBe('imperial');
});

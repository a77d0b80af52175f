import { describe, expect, test } from 'vitest';
import { BrowserStorage } from '../browser/storage.ts';
import { denied, StoredTexts } from '../browser/stored.fixture.ts';
import {
  defaultPreferences,
  type Preferences,
  preferencesKey,
  readPreferences,
  type StorageEvents,
  StoredPreferences,
} from './preferences.ts';

function holding(text?: string, operator?: string) {
  const texts = new StoredTexts(text === undefined ? [] : [[preferencesKey(operator), text]]);
  return new BrowserStorage(() => texts);
}

describe('preferences', () => {
  test('saved preferences are read back', () => {
    const storage = holding();
    const liked = { ...defaultPreferences, units: 'aviation', zone: 'local', singleKeys: false } as const;
    storage.write(preferencesKey(undefined), liked);
    expect(readPreferences(storage, undefined)).toEqual(liked);
  });

  test('times are UTC and units metric by default', () => {
    expect(readPreferences(holding(), undefined)).toMatchObject({ zone: 'utc', units: 'metric', singleKeys: true });
  });

  test('by default, no position is projected, and only real emergencies are announced', () => {
    expect(readPreferences(holding(), undefined)).toMatchObject({ vectorMinutes: 0, callsUnreal: false });
  });

  test('a replay shows the path of the selected track by default', () => {
    expect(readPreferences(holding(), undefined).trails).toBe('selected');
    expect(readPreferences(holding('{"trails":"all"}'), undefined).trails).toBe('all');
    expect(readPreferences(holding('{"trails":"every"}'), undefined).trails).toBe('selected');
  });

  test('an unreadable value falls back to its own default only', () => {
    const text = JSON.stringify({ theme: 'purple', units: 'imperial', legendOpen: 'yes', gone: 1 });
    expect(readPreferences(holding(text), undefined)).toEqual({ ...defaultPreferences, units: 'imperial' });
  });

  test.each(['', '{', 'null', '[]', '7', '"x"'])('%j in the storage is replaced by the defaults', (text) => {
    expect(readPreferences(holding(text), undefined)).toEqual(defaultPreferences);
  });

  test('damaged preferences of an operator are replaced by those without sign-in', () => {
    const storage = holding('{', 'ada');
    storage.write(preferencesKey(undefined), { units: 'imperial' });
    expect(readPreferences(storage, 'ada')).toEqual({ ...defaultPreferences, units: 'imperial' });
  });
});

type StorageListener = (event: { readonly key: string | null }) => void;

/** As in browsers, a write notifies the other windows only if it changes something. */
class Browser {
  readonly windows: Set<StorageListener>[] = [];
  writes = 0;
  readonly #kept = new StoredTexts();

  open(session = new StoredTexts(), operator?: string, held?: Partial<Preferences>) {
    const listeners = new Set<StorageListener>();
    const local = new StoredTexts();
    local.getItem = (key) => this.#kept.getItem(key);
    local.setItem = (key, value) => {
      this.writes += 1;
      if (this.#kept.getItem(key) === value) return;
      this.#kept.setItem(key, value);
      for (const other of this.windows) if (other !== listeners) for (const notify of other) notify({ key });
    };
    const events: StorageEvents = {
      addEventListener: (_, listener) => void listeners.add(listener),
      removeEventListener: (_, listener) => void listeners.delete(listener),
    };
    this.windows.push(listeners);
    const stores = { local: new BrowserStorage(() => local), session: new BrowserStorage(() => session) };
    const store = new StoredPreferences(stores, operator, held);
    return { store, session, close: store.store(events) };
  }

  clear() {
    this.#kept.clear();
    for (const listeners of this.windows) for (const notify of listeners) notify({ key: null });
  }
}

test('operators who share a browser have preferences of their own, and begin with what was chosen without sign-in', () => {
  const browser = new Browser();
  const signedOut = browser.open();
  signedOut.store.change({ units: 'imperial' });
  const [ada, bob] = [browser.open(undefined, 'ada'), browser.open(undefined, 'bob')];
  ada.store.change({ units: 'aviation', zone: 'local' });
  expect(bob.store.get()).toMatchObject({ units: 'imperial', zone: 'utc' });
  expect(signedOut.store.get().units).toBe('imperial');
  expect(browser.open(undefined, 'ada').store.get()).toMatchObject({ units: 'aviation', zone: 'local' });
});

describe('two windows', () => {
  test('share what either changes, with one write for each change', () => {
    const browser = new Browser();
    const [one, other] = [browser.open(), browser.open()];
    one.store.change({ units: 'aviation' });
    expect(other.store.get().units).toBe('aviation');
    other.store.change({ zone: 'local' });
    expect(one.store.get()).toMatchObject({ units: 'aviation', zone: 'local' });
    expect(browser.writes).toBe(2);
  });

  test('each keep their own panel and legend, also when the other changes something', () => {
    const browser = new Browser();
    const [one, other] = [browser.open(), browser.open()];
    one.store.change({ panelOpen: false });
    expect(other.store.get().panelOpen).toBe(true);
    other.store.change({ theme: 'light' });
    expect(one.store.get()).toMatchObject({ panelOpen: false, theme: 'light' });
  });

  test('choices of one page alone are never stored, and outlast the other’s', () => {
    const browser = new Browser();
    const wall = browser.open(undefined, undefined, { theme: 'dark' });
    const other = browser.open();
    wall.store.change({ labels: 'off' });
    expect(browser.writes).toBe(0);
    other.store.change({ theme: 'light', units: 'aviation' });
    expect(wall.store.get()).toMatchObject({ theme: 'dark', units: 'aviation' });
    expect(other.store.get().labels).toBe('reference');
  });

  test('a window that was closed hears nothing more, and cleared storage brings the defaults', () => {
    const browser = new Browser();
    const [one, other] = [browser.open(), browser.open()];
    one.store.change({ units: 'imperial' });
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
  one.store.change({ panelOpen: false });
  other.store.change({ legendOpen: false });
  one.close();
  expect(browser.open(one.session).store.get()).toMatchObject({ panelOpen: false, legendOpen: true });
  expect(browser.open().store.get()).toMatchObject({ panelOpen: true, legendOpen: false });
});

test('a storage that refuses costs what would be kept, and nothing else', () => {
  const stores = { local: new BrowserStorage(denied), session: new BrowserStorage(denied) };
  const events = { addEventListener: () => undefined, removeEventListener: () => undefined };
  const store = new StoredPreferences(stores, undefined);
  store.store(events);
  expect(() => store.change({ units: 'imperial' })).not.toThrow();
  expect(store.get().units).toBe('imperial');
});

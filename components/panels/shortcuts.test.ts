import { describe, expect, it } from 'vitest';
import { SHORTCUTS, shortcutFor } from './shortcuts.ts';

const press = (key: string) => ({ key, modified: false, typing: false });

describe('shortcutFor', () => {
  it('knows every listed key, in either case', () => {
    for (const { action, keys } of SHORTCUTS) {
      for (const key of keys) {
        expect(shortcutFor(press(key), true)).toBe(action);
        expect(shortcutFor(press(key.toUpperCase()), true)).toBe(action);
      }
    }
  });

  it('gives no key two meanings', () => {
    const keys = SHORTCUTS.flatMap((shortcut) => shortcut.keys);
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('asks for nothing while typing or with a modifier held', () => {
    expect(shortcutFor({ ...press('v'), typing: true }, true)).toBeUndefined();
    expect(shortcutFor({ ...press('l'), modified: true }, true)).toBeUndefined();
  });

  it('leaves only keys that are no character where single keys are switched off', () => {
    const left = SHORTCUTS.filter(({ keys }) => keys.some((key) => shortcutFor(press(key), false)));
    expect(left.map(({ action }) => action)).toEqual(['clear-selection']);
  });
});

import { describe, expect, it } from 'vitest';
import { SHORTCUTS, shortcutFor } from './shortcuts.ts';

const press = (key: string, shift = false) => ({ key, modified: false, typing: false, shift, onControl: false });
const live = { singleKeys: true, isReplaying: false };
const replaying = { singleKeys: true, isReplaying: true };

describe('shortcutFor', () => {
  it('maps every listed key', () => {
    for (const { action, keys, shift } of SHORTCUTS) {
      for (const key of keys) expect(shortcutFor(press(key, shift), replaying)).toBe(action);
    }
  });

  it('gives no key two actions', () => {
    const keys = SHORTCUTS.flatMap(({ keys, shift }) => keys.map((key) => `${shift === true ? 'shift ' : ''}${key}`));
    expect(new Set(keys).size).toBe(keys.length);
  });

  it('ignores keys while typing or with a modifier', () => {
    expect(shortcutFor({ ...press('v'), typing: true }, live)).toBeUndefined();
    expect(shortcutFor({ ...press('l'), modified: true }, live)).toBeUndefined();
  });

  it('ignores single-character keys when they are switched off', () => {
    const left = SHORTCUTS.filter(({ keys }) =>
      keys.some((key) => shortcutFor(press(key), { ...live, singleKeys: false })),
    );
    expect(left.map(({ action }) => action)).toEqual(['clear-selection', 'remove-point']);
  });

  it('leaves arrows, Home, End, space and brackets to the page and the map while live', () => {
    for (const { keys, shift } of SHORTCUTS.filter(({ inReplay }) => inReplay)) {
      for (const key of keys) expect(shortcutFor(press(key, shift), live)).toBeUndefined();
    }
  });

  it('steps by ten seconds with Shift', () => {
    expect(shortcutFor(press('arrowleft'), replaying)).toBe('step-back');
    expect(shortcutFor(press('arrowright', true), replaying)).toBe('step-forward-ten');
  });

  it('leaves the space bar to a focused button', () => {
    expect(shortcutFor(press(' '), replaying)).toBe('toggle-play');
    expect(shortcutFor({ ...press(' '), onControl: true }, replaying)).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import { pressedKey } from './pressed-key.ts';

const pressed = (key: string, code: string, more: { altGraph?: boolean; isComposing?: boolean } = {}) =>
  pressedKey({ key, code, altGraph: false, isComposing: false, ...more });

describe('pressedKey', () => {
  it.each([
    ['Russian', 'к', 'KeyR', 'r'],
    ['Russian, Shift', 'К', 'KeyR', 'r'],
    ['Russian', 'л', 'KeyK', 'k'],
    ['Russian', 'х', 'BracketLeft', '['],
    ['Russian', '.', 'Slash', '/'],
    ['Hebrew', 'ר', 'KeyR', 'r'],
    ['Hebrew', '.', 'Slash', '/'],
    ['Hebrew, where Q types the slash', '/', 'KeyQ', '/'],
    ['Greek', 'ρ', 'KeyR', 'r'],
    ['Arabic', 'ق', 'KeyR', 'r'],
    ['Arabic, two letters on one key', 'لا', 'KeyB', 'b'],
    ['Thai vowel sign', 'ี', 'KeyU', 'u'],
    ['Georgian', 'რ', 'KeyR', 'r'],
  ])('reads the position where the letter is not Latin: %s %s', (_layout, key, code, expected) => {
    expect(pressed(key, code)).toBe(expected);
  });

  it.each([
    ['Dvorak', 'r', 'KeyO', 'r'],
    ['AZERTY', 'a', 'KeyQ', 'a'],
    ['AZERTY', '!', 'Slash', '!'],
    ['QWERTZ', 'z', 'KeyY', 'z'],
    ['German', 'ü', 'BracketLeft', 'ü'],
    ['German', '-', 'Slash', '-'],
    ['Spanish', '¡', 'Equal', '¡'],
    ['French micro sign', 'µ', 'Backslash', 'µ'],
    ['any', 'ArrowLeft', 'ArrowLeft', 'arrowleft'],
    ['any', 'Escape', 'Escape', 'escape'],
  ])('reads the letter where it is Latin, or no letter: %s %s', (_layout, key, code, expected) => {
    expect(pressed(key, code)).toBe(expected);
  });

  it('leaves AltGr, dead keys and input methods alone', () => {
    expect(pressed('[', 'Digit8', { altGraph: true })).toBeUndefined();
    expect(pressed('r', 'KeyR', { isComposing: true })).toBeUndefined();
    expect(pressed('Process', 'KeyR')).toBeUndefined();
    expect(pressed('Dead', 'Equal')).toBeUndefined();
  });
});

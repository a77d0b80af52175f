import { describe, expect, test } from 'vitest';
import { defaultPreferences, preferencesSchema, readPreferences, writePreferences } from './preferences.ts';

/** A storage that holds this text and nothing else. */
const holding = (text: string | null) => ({ getItem: () => text });

describe('preferences', () => {
  test('what is kept is read back', () => {
    const kept = new Map<string, string>();
    const storage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
    };
    const liked = { ...defaultPreferences, units: 'aviation', zone: 'local', singleKeys: false } as const;
    writePreferences(storage, liked);
    expect(readPreferences(storage)).toEqual(liked);
  });

  test('times are UTC and units metric until the operator says otherwise', () => {
    expect(readPreferences(holding(null))).toMatchObject({ zone: 'utc', units: 'metric', singleKeys: true });
  });

  test('a replay shows the path of the selected track until the operator says otherwise', () => {
    expect(readPreferences(holding(null)).trails).toBe('selected');
    expect(readPreferences(holding('{"trails":"all"}')).trails).toBe('all');
    expect(readPreferences(holding('{"trails":"every"}')).trails).toBe('selected');
  });

  test('one unreadable value costs only itself', () => {
    const text = JSON.stringify({ theme: 'purple', units: 'imperial', legendOpen: 'yes', gone: 1 });
    expect(readPreferences(holding(text))).toEqual({ ...defaultPreferences, units: 'imperial' });
  });

  test.each(['', '{', 'null', '[]', '7', '"x"'])('%j in the storage is no reason to stop', (text) => {
    expect(readPreferences(holding(text))).toEqual(defaultPreferences);
  });

  test('a storage that refuses to be read or written is no reason to stop', () => {
    const refuse = () => {
      throw new Error('SecurityError');
    };
    expect(readPreferences({ getItem: refuse })).toEqual(defaultPreferences);
    expect(() => writePreferences({ setItem: refuse }, defaultPreferences)).not.toThrow();
    expect(preferencesSchema.parse({})).toEqual(defaultPreferences);
  });
});

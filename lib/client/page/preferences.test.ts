import { describe, expect, test } from 'vitest';
import { defaultPreferences, preferencesSchema, readPreferences, writePreferences } from './preferences.ts';

const holding = (text: string | null) => ({ getItem: () => text });

describe('preferences', () => {
  test('saved preferences are read back', () => {
    const kept = new Map<string, string>();
    const storage = {
      getItem: (key: string) => kept.get(key) ?? null,
      setItem: (key: string, value: string) => void kept.set(key, value),
    };
    const liked = { ...defaultPreferences, units: 'aviation', zone: 'local', singleKeys: false } as const;
    writePreferences(storage, undefined, liked);
    expect(readPreferences(storage, undefined)).toEqual(liked);
  });

  test('times are UTC and units metric by default', () => {
    expect(readPreferences(holding(null), undefined)).toMatchObject({ zone: 'utc', units: 'metric', singleKeys: true });
  });

  test('by default, no position is projected, and only real emergencies are announced', () => {
    expect(readPreferences(holding(null), undefined)).toMatchObject({ vectorMinutes: 0, callsUnreal: false });
  });

  test('a replay shows the path of the selected track by default', () => {
    expect(readPreferences(holding(null), undefined).trails).toBe('selected');
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

  test('errors of the storage are ignored', () => {
    const refuse = () => {
      throw new Error('SecurityError');
    };
    expect(readPreferences({ getItem: refuse }, undefined)).toEqual(defaultPreferences);
    expect(() => writePreferences({ setItem: refuse }, undefined, defaultPreferences)).not.toThrow();
    expect(preferencesSchema.parse({})).toEqual(defaultPreferences);
  });
});

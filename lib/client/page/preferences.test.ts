import { describe, expect, test } from 'vitest';
import { BrowserStorage } from '../browser/storage.ts';
import { StoredTexts } from '../browser/stored.fixture.ts';
import { defaultPreferences, preferencesKey, readPreferences } from './preferences.ts';

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

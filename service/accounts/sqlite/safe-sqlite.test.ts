import { expect, test } from 'vitest';
import { requireSafeSqlite } from './safe-sqlite.ts';

test.each(['3.44.6', '3.44.9', '3.50.7', '3.51.3', '3.52.0', '3.53.4', '4.0.0'])('%s is safe', (version) => {
  expect(() => requireSafeSqlite(version)).not.toThrow();
});

test.each(['3.7.0', '3.44.5', '3.45.0', '3.49.9', '3.50.6', '3.51.2', undefined])('%s is refused', (version) => {
  expect(() => requireSafeSqlite(version)).toThrow(/take Node 24/);
});

test('the SQLite of this Node is safe', () => {
  expect(() => requireSafeSqlite(process.versions.sqlite)).not.toThrow();
});

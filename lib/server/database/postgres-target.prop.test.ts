import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readPostgresTarget } from './postgres-target.ts';

const text = fc.string({ minLength: 1, unit: 'grapheme' });
const name = text.filter((each) => !each.includes('/'));
const folder = fc.stringMatching(/^(\/[A-Za-z0-9 ._:@%+&=?#-]{1,12}){1,4}$/);

test('reads each part of an address as it was encoded, before or after the question mark', () => {
  fc.assert(
    fc.property(
      folder,
      name,
      text,
      name,
      fc.integer({ min: 1, max: 65_535 }),
      (host, user, password, database, port) => {
        const [h, u, p, d] = [host, user, password, database].map(encodeURIComponent);
        const target = { host, port, user, password: { value: password }, database, tls: false };
        for (const url of [
          `postgres://${u}:${p}@${h}:${port}/${d}`,
          `postgresql://?host=${h}&port=${port}&user=${u}&password=${p}&dbname=${d}`,
          `postgresql://${u}:${p}@/${d}?host=${h}&port=${port}`,
        ])
          expect(readPostgresTarget(url, undefined)).toMatchObject(target);
      },
    ),
  );
});

test('answers any text with a target or a problem, and shows no password', () => {
  fc.assert(
    fc.property(fc.string(), fc.constantFrom('/', '?', ':', '@', '%', ',', ''), (rest, odd) => {
      const read = readPostgresTarget(`postgres://al:SECRET${odd}SECRET${rest}@db.example/lookout`, undefined);
      if (typeof read === 'string') expect(read).not.toContain('SECRET');
    }),
  );
});

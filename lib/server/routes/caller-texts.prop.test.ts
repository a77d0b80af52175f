import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { parseBody, parseQuery, pathSegment } from './route.ts';

const ADDRESS = 'https://lookout.example/api/a';
const unstorable = fc.constantFrom('\0', '\ud800', '\udfff', 'a\0b', '\udc00\ud800');
/** Whole characters of any plane, without NUL. */
const clean = fc.string({ unit: 'grapheme' }).map((text) => text.replaceAll('\0', ''));
/** This name is refused, as no text is. */
const isKept = (text: string) => text !== '__proto__';
const spoilt = fc.tuple(clean, unstorable, clean).map((parts) => parts.join(''));

const post = (body: unknown) =>
  new Request(ADDRESS, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });

/** Any JSON with the text somewhere, as a value or as a name. */
function around(text: fc.Arbitrary<string>) {
  return fc.letrec<{ tree: unknown }>((tie) => ({
    tree: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      text,
      fc.tuple(fc.array(clean), tie('tree')).map(([before, tree]) => [...before, tree]),
      fc.tuple(fc.dictionary(clean.filter(isKept), clean), tie('tree')).map(([others, tree]) => ({ ...others, tree })),
      text.map((name) => ({ [name]: 1 })),
    ),
  })).tree;
}

describe('a text that PostgreSQL cannot store', () => {
  test('is refused anywhere in a body', async () => {
    await fc.assert(
      fc.asyncProperty(around(spoilt), async (body) => {
        await expect(parseBody(post(body), z.unknown(), 100_000)).rejects.toMatchObject({ code: 'bad_body' });
      }),
    );
  });

  test('is refused in a query, and names nothing in a path', () => {
    fc.assert(
      fc.property(fc.tuple(clean, fc.constantFrom('\0', '\0\0'), clean), (parts) => {
        const text = parts.join('');
        const query = new Request(`${ADDRESS}?${new URLSearchParams({ text })}`);
        expect(() => parseQuery(query, z.object({ text: z.string() }))).toThrow(/NUL/);
        const name = new Request(`${ADDRESS}?${new URLSearchParams({ [text]: '1' })}`);
        expect(() => parseQuery(name, z.unknown())).toThrow(/NUL/);
        expect(pathSegment(new Request(`${ADDRESS}/${encodeURIComponent(text)}`), 2)).toBe('');
      }),
    );
    expect(pathSegment(new Request(`${ADDRESS}/%ED%A0%80`), 2)).toBe('');
  });

  test('is no other text', async () => {
    await fc.assert(
      fc.asyncProperty(around(clean.filter(isKept)), async (body) => {
        expect(await parseBody(post(body), z.unknown(), 1_000_000)).toEqual(body);
      }),
    );
  });

  test('reaches no route by another way: bodies are read by `parseBody` alone', () => {
    const app = fileURLToPath(new URL('../../../app', import.meta.url));
    const routes = readdirSync(app, { recursive: true, encoding: 'utf8' }).filter((file) => /route\.tsx?$/.test(file));
    expect(routes.length).toBeGreaterThan(50);
    const others = routes.filter((file) =>
      /request\.(json|text|formData|arrayBuffer|blob)\(/.test(readFileSync(join(app, file), 'utf8')),
    );
    expect(others).toEqual([]);
  });
});

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { builtAddresses } from './built-addresses.ts';

const root = mkdtempSync(join(tmpdir(), 'lookout-addresses-'));
afterAll(() => rmSync(root, { recursive: true }));

function write(path: string, text: string): void {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}

write(
  '.next/app-path-routes-manifest.json',
  JSON.stringify({
    '/page': '/',
    '/sign-in/page': '/sign-in',
    '/sign-in/oidc/route': '/sign-in/oidc',
    '/incidents/page': '/incidents',
    '/incidents/[id]/page': '/incidents/[id]',
    '/_not-found/page': '/_not-found',
    '/_global-error/page': '/_global-error',
    '/api/[...path]/route': '/api/[...path]',
  }),
);
write('.next/static/chunks/a b.js', '');
write('public/basemap/fonts/Inter Regular/0-255.pbf', '');
const kindOf = builtAddresses(root);

test.each([
  ['/', 'page'],
  ['/sign-in', 'page'],
  ['/sign-in/', 'page'],
  ['/sign-in/oidc', 'other'],
  ['/incidents', 'page'],
  ['/incidents/80d0e0ca-2a77', 'page'],
  ['/incidents/80d0e0ca-2a77/', 'page'],
  ['/incidents/one/two', 'none'],
  ['/incidents/one.rsc', 'none'],
  ['/basemap/fonts/Inter%20Regular/0-255.pbf', 'other'],
  ['/_next/static/chunks/a%20b.js', 'other'],
  ['/api', 'other'],
  ['/api/nothing/here', 'other'],
  ['/apis', 'none'],
  ['/nonsense', 'none'],
  ['/sign-in.rsc', 'none'],
  ['/basemap/fonts', 'none'],
  ['/_next/static/chunks', 'none'],
  ['/_not-found', 'none'],
  ['/_global-error', 'none'],
  ['/_global-error/', 'none'],
  ['/%5fglobal-error', 'none'],
  ['/_global-error.rsc', 'none'],
  ['/constructor', 'none'],
])('at %s the build has: %s', (path, kind) => {
  expect(kindOf(path)).toBe(kind);
});

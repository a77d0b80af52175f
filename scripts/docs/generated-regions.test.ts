import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { settingsSchema } from '#lib/server/settings/config.ts';
import { CONSTANT_WORK, WORK } from '#lib/server/work/work-table.ts';
import { apiRoutes } from './api-routes.ts';
import { documentText, root } from './document.ts';
import { withGeneratedRegions } from './generated-regions.ts';

test.each(['docs/api.md', 'docs/security.md', 'docs/settings.md'])(
  'the lists in %s are those of the code',
  async (path) => {
    await expect(await withGeneratedRegions(documentText(path))).toMatchFileSnapshot(join(root, path));
  },
);

describe('docs/api.md', () => {
  const routes = apiRoutes();

  test('has a section or an item for every route', () => {
    const undocumented = routes.filter(
      ({ method, path }) =>
        !new RegExp(`(^ *- |^### |, |; |\\. )\`${method} ${path}\``, 'm').test(documentText('docs/api.md')),
    );
    expect(undocumented).toEqual([]);
  });

  test('only routes that begin or end a session need no permission', () => {
    const open = routes.filter(({ permission }) => permission === undefined);
    expect(open.map(({ method, path }) => `${method} ${path}`)).toEqual([
      'POST /api/session/passkey/options',
      'POST /api/session/passkey',
      'POST /api/session',
      'DELETE /api/session',
      'POST /api/session/wall',
    ]);
  });
});

test('every request has a queue for its work, or a reason why its work is constant', () => {
  const queued = Object.values<{ routes: readonly string[]; selfQueued?: readonly string[] }>(WORK);
  const once = [...queued.flatMap(({ routes }) => routes), ...Object.values(CONSTANT_WORK).flat()];
  const listed = new Set([...once, ...queued.flatMap(({ selfQueued = [] }) => selfQueued)]);
  expect([...listed].sort()).toEqual(
    apiRoutes()
      .map(({ method, path }) => `${method} ${path}`)
      .sort(),
  );
  expect(once).toHaveLength(new Set(once).size);
});

test('docs/settings.md lists every setting that the code reads', () => {
  const internal = ['POSITIONS_EMBEDDED', 'POSITIONS_ALLOWANCE'];
  const ofStart = ['serving/server-program', 'setup/embedded-service'].flatMap((file) =>
    [...documentText(`scripts/${file}.ts`).matchAll(/environment\.([A-Z][A-Z_]+)/g)].map(([, name]) => name),
  );
  const read = new Set([...Object.keys(settingsSchema.shape), ...ofStart]);
  const listed = [...documentText('docs/settings.md').matchAll(/^- `([A-Z_]+)`/gm)].map(([, name]) => name);
  expect(new Set([...listed, ...internal])).toEqual(read);
});

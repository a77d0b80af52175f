import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

type AddressKind = 'page' | 'other' | 'none';

export type AddressKindOf = (path: string) => AddressKind;

const INTERNAL = /^\/_/;
/** A part of a page's path that names one of many. */
const NAME = /\[\w+\]/;
const NAMES = new RegExp(NAME, 'g');

/** @param root `.next` and `public` there do not change while it runs */
export function builtAddresses(root: string): AddressKindOf {
  const manifest = readFileSync(join(root, '.next/app-path-routes-manifest.json'), 'utf8');
  const routes = Object.entries(JSON.parse(manifest) as Record<string, string>).filter(
    ([, path]) => !INTERNAL.test(path),
  );
  const kinds = new Map<string, AddressKind>(
    routes.map(([source, path]) => [path, source.endsWith('/page') ? 'page' : 'other']),
  );
  const named = routes.flatMap(([source, path]) =>
    source.endsWith('/page') && NAME.test(path) ? new RegExp(`^${path.replaceAll(NAMES, '[^/.]+')}$`) : [],
  );
  for (const [folder, prefix] of [
    ['public', '/'],
    ['.next/static', '/_next/static/'],
  ] as const) {
    for (const path of filesIn(join(root, folder))) kinds.set(prefix + path, 'other');
  }
  return (path) => {
    if (/^\/api(?:\/|$)/.test(path)) return 'other';
    const address = decodeURIComponent(path.replace(/\/+$/, '') || '/');
    return kinds.get(address) ?? (named.some((page) => page.test(address)) ? 'page' : 'none');
  };
}

function filesIn(folder: string): readonly string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8', withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) =>
      join(parentPath, name)
        .slice(folder.length + 1)
        .replaceAll(sep, '/'),
    );
}

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, sep } from 'node:path';

type AddressKind = 'page' | 'other' | 'none';

export type AddressKindOf = (path: string) => AddressKind;

const INTERNAL = /^\/_/;

/** @param root `.next` and `public` there do not change while it runs */
export function builtAddresses(root: string): AddressKindOf {
  const manifest = readFileSync(join(root, '.next/app-path-routes-manifest.json'), 'utf8');
  const routes = Object.entries(JSON.parse(manifest) as Record<string, string>).filter(
    ([, path]) => !INTERNAL.test(path),
  );
  const kinds = new Map<string, AddressKind>(
    routes.map(([source, path]) => [path, source.endsWith('/page') ? 'page' : 'other']),
  );
  for (const [folder, prefix] of [
    ['public', '/'],
    ['.next/static', '/_next/static/'],
  ] as const) {
    for (const path of filesIn(join(root, folder))) kinds.set(prefix + path, 'other');
  }
  return (path) => {
    if (/^\/api(?:\/|$)/.test(path)) return 'other';
    return kinds.get(decodeURIComponent(path.replace(/\/+$/, '') || '/')) ?? 'none';
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

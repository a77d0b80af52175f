import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PERMISSIONS, type Permission } from '#lib/api/people/permission.ts';
import { root } from './document.ts';

export interface ApiRoute {
  readonly method: string;
  /** Capitals stand for an id: `/api/views/ID`. */
  readonly path: string;
  /** `undefined`: any caller. */
  readonly permission: Permission | undefined;
  /** No session opens it: only a token does. */
  readonly takesToken: boolean;
}

export function apiRoutes(): readonly ApiRoute[] {
  const files = readdirSync(join(root, 'app/api'), { recursive: true, encoding: 'utf8' });
  return files
    .filter((file) => file.endsWith('route.ts') && !file.startsWith('[...path]'))
    .sort()
    .flatMap((file) => {
      const path = `/api/${file.replace(/\/route\.ts$/, '')}`.replaceAll(/\[(?:\.{3})?(\w+)\]/g, (_, name) =>
        name.toUpperCase(),
      );
      return handlersOf(readFileSync(join(root, 'app/api', file), 'utf8')).map((handler) => ({ ...handler, path }));
    });
}

const METHOD = 'GET|HEAD|POST|PUT|PATCH|DELETE';

function handlersOf(text: string): readonly Omit<ApiRoute, 'path'>[] {
  const made = new Map(
    [...text.matchAll(/const (\w+) = (\w+)Route(?:<\w+>)?\((?:'([\w-]+)')?/g)].map(
      ([, name = '', kind, permission]) => [name, permissionOf(kind, permission)] as const,
    ),
  );
  const own = [...text.matchAll(new RegExp(`^export const (${METHOD}) =`, 'gm'))].map(([, name = '']) => [name, name]);
  const renamed = [...text.matchAll(new RegExp(`\\b(\\w+) as (${METHOD})\\b`, 'g'))].map((match) => match.slice(1));
  return [...own, ...renamed]
    .filter(([name]) => name !== 'refuseMethod')
    .map(([name = '', method = name]) => {
      const permission = made.get(name);
      return { method, permission, takesToken: permission !== undefined && PERMISSIONS[permission].role === null };
    });
}

function permissionOf(kind: string | undefined, permission: string | undefined): Permission | undefined {
  if (kind === 'open') return undefined;
  if (permission === undefined || !(permission in PERMISSIONS)) throw new Error(`a route has no permission: ${kind}`);
  return permission as Permission;
}

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PERMISSIONS, type Permission } from '#lib/api/people/permission.ts';
import { documentText, root } from './document.ts';

export interface ApiRoute {
  readonly method: string;
  /** Capitals stand for an id: `/api/views/ID`. */
  readonly path: string;
  /** `undefined`: any caller. */
  readonly permission: Permission | undefined;
  /** No session opens it: only a token does. */
  readonly takesToken: boolean;
  /** The names of the schemas that read its query and body. */
  readonly reads: { readonly query?: string; readonly body?: string; readonly lines?: string };
}

export function apiRoutes(): readonly ApiRoute[] {
  const files = readdirSync(join(root, 'app/api'), { recursive: true, encoding: 'utf8' });
  const helpers = routeHelpers();
  return files
    .filter((file) => file.endsWith('route.ts') && !file.startsWith('[...path]'))
    .sort()
    .flatMap((file) => {
      const path = `/api/${file.replace(/\/route\.ts$/, '')}`.replaceAll(/\[(?:\.{3})?(\w+)\]/g, (_, name) =>
        name.toUpperCase(),
      );
      return handlersOf(readFileSync(join(root, 'app/api', file), 'utf8'), helpers).map((handler) => ({
        ...handler,
        path,
      }));
    });
}

export function permissionRow(permission: Permission): { role: string | null; token?: true; wall?: true } {
  return PERMISSIONS[permission];
}

const METHOD = 'GET|HEAD|POST|PUT|PATCH|DELETE';

/** The texts of declarations, by name. */
type Declarations = ReadonlyMap<string, string>;

function handlersOf(text: string, helpers: Declarations): readonly Omit<ApiRoute, 'path'>[] {
  const declared = declarationsOf(text);
  const own = [...declared.keys()].filter((name) => new RegExp(`^(${METHOD})$`).test(name)).map((name) => [name, name]);
  const renamed = [...text.matchAll(new RegExp(`\\b(\\w+) as (${METHOD})\\b`, 'g'))].map((match) => match.slice(1));
  return [...own, ...renamed]
    .filter(([name]) => name !== 'refuseMethod')
    .map(([name = '', method = name]) => {
      const body = declared.get(name) ?? '';
      const [, kind, needs] = /= (\w+)Route(?:<\w+>)?\((?:'([\w-]+)')?/.exec(body) ?? [];
      const permission = permissionOf(kind, needs);
      return {
        method,
        permission,
        takesToken: permission !== undefined && PERMISSIONS[permission].role === null,
        reads: readsOf(body, helpers),
      };
    });
}

function permissionOf(kind: string | undefined, permission: string | undefined): Permission | undefined {
  if (kind === 'open') return undefined;
  if (permission === undefined || !(permission in PERMISSIONS)) throw new Error(`a route has no permission: ${kind}`);
  return permission as Permission;
}

/** Also by the functions that it calls. @throws Error where a schema has no name */
function readsOf(handler: string, helpers: Declarations): ApiRoute['reads'] {
  const called = [...helpers].filter(([name]) => new RegExp(`\\b${name}\\b`).test(handler)).map(([, body]) => body);
  const all = [handler, ...called].join('\n');
  const calls = [...all.matchAll(/\bparse(Query|Body|Lines)\((?:\s*[\w.]+,\s*(\w+Schema)\b)?/g)];
  const reads = calls.map(([, what = '', schema]) => [what.toLowerCase(), schema] as const);
  const isNamed = reads.every(([, schema]) => schema !== undefined);
  if (!isNamed || (/= queryRoute\(/.test(handler) && !reads.some(([what]) => what === 'query')))
    throw new Error(`a route reads its query or body without a schema that lib/api exports: ${handler.slice(0, 300)}`);
  return Object.fromEntries(reads);
}

/** Functions that read requests for several routes. */
function routeHelpers(): Declarations {
  const folder = 'lib/server/routes';
  const files = readdirSync(join(root, folder)).filter((file) => /^[\w-]+\.ts$/.test(file) && file !== 'route.ts');
  const all = files.flatMap((file) => [...declarationsOf(documentText(`${folder}/${file}`))]);
  return new Map(all.filter(([, body]) => /\bparse(Query|Body|Lines)\(/.test(body)));
}

function declarationsOf(text: string): Declarations {
  const pieces = text.split(/^(?=(?:export )?(?:async )?(?:const|function) )/m);
  return new Map(
    pieces.flatMap((piece) => {
      const [, name] = /^(?:export )?(?:async )?(?:const|function) (\w+)/.exec(piece) ?? [];
      return name === undefined ? [] : [[name, piece] as const];
    }),
  );
}

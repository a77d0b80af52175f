import type { IncomingMessage, ServerResponse } from 'node:http';
import type { RouteKind } from 'next/dist/server/route-kind.js';
import type { AddressKindOf } from '#lib/front/built-addresses.ts';

type RouteModule = Readonly<Record<string, unknown>>;

declare global {
  interface ImportMeta {
    /** Vite replaces the call, and so knows which tests reach a route. */
    glob(pattern: string): Readonly<Record<string, () => Promise<RouteModule>>>;
  }
}

interface Route {
  /** As Next names it, such as `/api/zones/[id]/route`. */
  readonly page: string;
  readonly path: RegExp;
  handle?: Promise<Handle>;
  load(): Promise<RouteModule>;
}

type Handle = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

const ROUTES = routesOf(import.meta.glob('../app/**/route.ts'));
const PAGES = pagesOf(import.meta.glob('../app/**/page.tsx'));

export const kindOfAddress: AddressKindOf = (path) => {
  if (PAGES.has(path.replace(/\/+$/, '') || '/')) return 'page';
  return /^\/api(?:\/|$)/.test(path) || routeOf(path) ? 'other' : 'none';
};

/** Answers as Next does. Pages, redirects to other spellings, and Next's own addresses are missing. */
export async function answerByRoute(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const route = routeOf((request.url ?? '').split('?', 1)[0] ?? '');
  if (!route) {
    response.writeHead(404, { 'content-type': 'text/plain' }).end('Pages are not served here.\n');
    return;
  }
  route.handle ??= handleOf(route);
  await (await route.handle)(request, response);
}

function routeOf(path: string): Route | undefined {
  return ROUTES.find((route) => route.path.test(path));
}

function routesOf(modules: Readonly<Record<string, () => Promise<RouteModule>>>): readonly Route[] {
  return Object.entries(modules)
    .map(([file, load]) => ({ page: file.replace(/^.*\/app(?=\/)|\.ts$/g, ''), load }))
    .sort((one, other) => precedence(one.page).localeCompare(precedence(other.page)))
    .map(({ page, load }) => ({ page, path: pattern(page), load }));
}

function pagesOf(modules: Readonly<Record<string, unknown>>): ReadonlySet<string> {
  return new Set(Object.keys(modules).map((file) => file.replace(/^.*\/app(?=\/)|\/page\.tsx$/g, '') || '/'));
}

/** Fixed segments come before `[id]`, and `[...path]` comes last. */
function precedence(page: string): string {
  return page.replaceAll(/\/(\[\.\.\.|\[)?/g, (_, bracket) => (bracket ? (bracket === '[' ? '/1' : '/2') : '/0'));
}

function pattern(page: string): RegExp {
  const path = page
    .replace(/\/route$/, '')
    .replaceAll(/[.]/g, '\\.')
    .replaceAll(/\[\\\.\\\.\\\.\w+\]/g, '.+')
    .replaceAll(/\[\w+\]/g, '[^/]+');
  return new RegExp(`^${path}$`);
}

/** Next's handler of a built route, without caches and tracing. */
async function handleOf({ page, load }: Route): Promise<Handle> {
  // Then Next leaves the `fetch` of this process as it is.
  Object.assign(globalThis, { [Symbol.for('next-patch')]: true });
  // Loaded late, since that takes a tenth of a second of processor time.
  const [{ AppRouteRouteModule }, { NodeNextRequest, NodeNextResponse }, requests, { sendResponse }] =
    await Promise.all([
      import('next/dist/server/route-modules/app-route/module.js'),
      import('next/dist/server/base-http/node.js'),
      import('next/dist/server/web/spec-extension/adapters/next-request.js'),
      import('next/dist/server/send-response.js'),
    ]);
  const module = new AppRouteRouteModule({
    definition: {
      kind: 'APP_ROUTE' as RouteKind.APP_ROUTE,
      page,
      pathname: page.replace(/\/route$/, ''),
      filename: page,
      bundlePath: page,
    },
    distDir: '',
    relativeProjectDir: '',
    resolvedPagePath: page,
    nextConfigOutput: undefined,
    userland: load as unknown as ConstructorParameters<typeof AppRouteRouteModule>[0]['userland'],
  });
  return async (message, answer) => {
    const request = new NodeNextRequest(message);
    const signal = requests.signalFromNodeResponse(answer);
    const response = await module.handle(requests.NextRequestAdapter.fromNodeNextRequest(request, signal), {
      params: undefined,
      previewProps: undefined,
      renderOpts: { experimental: {}, onClose: (closed: () => void) => answer.on('close', closed) },
      sharedContext: { buildId: '', deploymentId: '' },
    } as unknown as Parameters<typeof module.handle>[1]);
    await sendResponse(request, new NodeNextResponse(answer), response);
  };
}

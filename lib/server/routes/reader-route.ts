import 'server-only';
import type { ReadScope } from '#lib/api/outputs/read-token.ts';
import type { Reader } from '../read-access/read-tokens.ts';
import { runtime } from '../runtime.ts';
import { inQueue } from './in-turn.ts';
import { openRoute, pathSegment, type RouteRequest } from './route.ts';

type ReaderHandler = (call: RouteRequest & { readonly reader: Reader }) => Promise<Response>;

/** For machines with a read token in `Authorization`. Sessions open nothing here. */
export function bearerRoute(scope: ReadScope, run: ReaderHandler) {
  return readerRoute(scope, ({ headers }) => /^Bearer +(\S+) *$/i.exec(headers.get('authorization') ?? '')?.[1], run);
}

/** For programs that send no headers: the token is the first part of the path after `/api/feeds`. */
export function pathTokenRoute(scope: ReadScope, run: ReaderHandler) {
  return readerRoute(scope, (request) => pathSegment(request, 2), run);
}

function readerRoute(scope: ReadScope, tokenIn: (request: Request) => string | undefined, run: ReaderHandler) {
  return openRoute(async (call) => {
    const reader = await runtime().readTokens.accept(tokenIn(call.request) ?? '', scope);
    return inQueue(call.request, reader.id, (turn) => run({ ...call, reader, turn }));
  });
}

// The way of a request through a route: who may call it, what is read of it, its place in a queue, and how errors become
// answers. No other file of lib/server gives errors their statuses, or reads a body.
import 'server-only';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import {
  API_ERRORS,
  ApiError,
  acceptableRequestId,
  type ErrorAnswer,
  isApiError,
  REQUEST_ID_HEADER,
} from '#lib/api/error-code.ts';
import type { AccountNeed } from '#lib/api/people/account.ts';
import type { Permission, TokenPermission } from '#lib/api/people/permission.ts';
import type { Window } from '#lib/time/window.ts';
import { countAnswer, counts, spendsAs } from '../allowance/counts.ts';
import type { AuditLog } from '../audit/audit-log.ts';
import { asRefusal, lostRefusal } from '../database/database-failure.ts';
import type { TokenGrant } from '../read-access/read-tokens.ts';
import { runtime } from '../runtime.ts';
import type { Accounts, SignedIn } from '../sign-in/accounts.ts';
import type { Passkeys } from '../sign-in/passkeys.ts';
import { BodyTooLarge, boundedBody } from '../upstream/bounded-body.ts';
import type { RunPiece } from '../work/work.ts';
import { Yielding } from '../work/yielding.ts';
import { inQueue } from './in-queue.ts';
import { bearerToken, callerOf, requirePermission, type Viewer } from './viewer.ts';

export interface RouteRequest {
  readonly request: Request;
  readonly requestId: string;
  readonly logged: {
    operator?: string;
    /** Logs the request at `debug`, although it changes something. */
    isQuiet?: boolean;
    /** Called only where the line is written. */
    areas?: () => readonly number[];
  };
  /** Of a request that has a place in a queue: for each piece of an answer that is made as it is read. */
  readonly runPiece?: RunPiece | undefined;
}

/** For the log: nothing reads the answer. */
const CLIENT_LEFT = 499;

type Handler = (request: Request) => Promise<Response>;

/** NUL and lone surrogates: PostgreSQL stores and compares no text with them. */
const UNSTORABLE = /[\0\p{Surrogate}]/u;

/** Counted from 0 below `/api`: `3` in `/api/admin/people/ID` is the name. '': none that can exist. */
export function pathSegment(request: Request, index: number): string {
  const segment = decoded(new URL(request.url).pathname.split('/')[index + 1] ?? '');
  return UNSTORABLE.test(segment) ? '' : segment;
}

/** '' where it is no text. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}

/** Longer than any query that a page sends. */
const QUERY_MAX_CHARACTERS = 2048;
const BODY_MAX_BYTES = 4096;
const LOGGED_PATH_MAX_LENGTH = 100;
/** Anywhere in a path, and where one is expected, however mistyped. */
const READ_TOKEN = /lookout_[\w-]*|(?<=^\/api\/feeds\/)(?!(?:aircraft|receiver)\.json$)[^/]+/gi;

/** Wraps a handler for any caller. */
export function openRoute(run: (call: RouteRequest) => Promise<Response>): Handler {
  return answering(async (call) => {
    if (isUnsafe(call.request.method)) requireSameOrigin(call.request);
    return run(call);
  });
}

/** The only mapping from errors to statuses. */
function answering(run: (call: RouteRequest) => Promise<Response>): Handler {
  return async (request) => {
    const requestId = acceptableRequestId(request.headers.get(REQUEST_ID_HEADER)) ?? randomUUID();
    const call: RouteRequest = { request, requestId, logged: {} };
    const startedMs = performance.now();
    let response: Response;
    try {
      response = await run(call);
    } catch (error) {
      response =
        request.signal.aborted && error === request.signal.reason
          ? new Response(null, { status: CLIENT_LEFT })
          : errorResponse(error, requestId);
    }
    logAnswer(call, response.status, startedMs);
    return withHeaders(response, requestId);
  };
}

/** Queries contain places, and are not logged. */
function logAnswer({ request, requestId, logged }: RouteRequest, status: number, startedMs: number): void {
  const { log } = runtime();
  const { method } = request;
  const level = isUnsafe(method) && !logged.isQuiet ? 'info' : 'debug';
  if (!log.isLevelEnabled(level)) return;
  const { pathname } = new URL(request.url);
  const path = (decoded(pathname) || pathname).replaceAll(READ_TOKEN, 'TOKEN').slice(0, LOGGED_PATH_MAX_LENGTH);
  const tookMs = Math.round(performance.now() - startedMs);
  const { operator, areas } = logged;
  log[level]({ request_id: requestId, operator, method, path, status, areas: areas?.(), took_ms: tookMs }, 'answered');
}

function withHeaders(response: Response, requestId: string): Response {
  const { headers } = response;
  countAnswer(response.status);
  headers.set(REQUEST_ID_HEADER, requestId);
  headers.set('cache-control', 'no-store');
  return response;
}

export const refuseMethod = openRoute(async ({ request }) => {
  throw new ApiError(
    'method_not_allowed',
    `${request.method} is not supported here; see docs/api.md for the methods of each path.`,
  );
});

const NEEDS: Readonly<Record<AccountNeed, string>> = {
  'new-password': 'Your password was made by an admin: choose one of your own first (PUT /api/account/password).',
  passkey: 'Passkeys are required here: sign in with yours, or add one on your account page first.',
};

type ViewerHandler = (call: RouteRequest & { readonly viewer: Viewer }) => Promise<Response>;

/** The handler takes no query. */
export function viewerRoute(permission: Permission, run: ViewerHandler): Handler {
  return queryRoute(permission, async (call) => {
    refuseQuery(call.request);
    return run(call);
  });
}

export function queryRoute(permission: Permission, run: ViewerHandler): Handler {
  return answering(async (call) => {
    const { request } = call;
    // A token is no cookie: no other site can make a browser send it.
    const hasToken = bearerToken(request.headers.get('authorization')) !== undefined;
    if (isUnsafe(request.method) && !hasToken) requireSameOrigin(request);
    const viewer = await callerOf(request);
    if (!viewer) throw new ApiError('not_signed_in', 'Sign in first: POST /api/session.');
    const { role, id } = viewer.operator;
    call.logged.operator = id;
    spendsAs(id, role);
    requirePermission(viewer, permission);
    if (viewer.isUnconfirmed && isUnsafe(call.request.method)) throw lostRefusal();
    if (viewer.needs && permission !== 'own-affairs') throw new ApiError('account_unfinished', NEEDS[viewer.needs]);
    return inQueue(call.request, id, (runPiece) => run({ ...call, viewer, runPiece }));
  });
}

/** @throws ApiError for any parameter */
export function refuseQuery(request: Request): void {
  const { searchParams } = new URL(request.url);
  const [name] = searchParams.keys();
  if (name !== undefined)
    throw new ApiError('bad_query', `${JSON.stringify(name)} is unknown: this address takes no parameters.`);
}

/** The window of a query. @throws ApiError for half of one */
export function optionalWindow({
  start,
  end,
}: { readonly [Bound in keyof Window]?: Window[Bound] | undefined }): Window | undefined {
  if ((start === undefined) !== (end === undefined))
    throw new ApiError('bad_query', 'Write both start and end, or neither.');
  return start === undefined || end === undefined ? undefined : { start, end };
}

/** @throws ApiError for a parameter that is missing, unknown, repeated or malformed */
export function parseQuery<Schema extends z.core.$ZodType>(request: Request, schema: Schema): z.infer<Schema> {
  const { search, searchParams } = new URL(request.url);
  if (search.length > QUERY_MAX_CHARACTERS)
    throw new ApiError('bad_query', `The query is too long: at most ${QUERY_MAX_CHARACTERS} characters.`);
  const parameters: Record<string, string> = Object.create(null);
  for (const [name, value] of searchParams) {
    requireUsable(name, 'bad_query');
    requireStorable(name, value, 'bad_query');
    if (name in parameters)
      throw new ApiError('bad_query', `The parameter ${JSON.stringify(name)} is repeated: send it once.`);
    parameters[name] = value;
  }
  return parseWith(schema, { ...parameters }, 'bad_query');
}

/** Zod ignores this name even in strict objects. @throws ApiError */
function requireUsable(name: string, code: 'bad_query' | 'bad_body'): void {
  if (name === '__proto__') throw new ApiError(code, '"__proto__" is unknown.');
}

/** Of every text of a caller, its names included. @throws ApiError */
function requireStorable(name: string, value: unknown, code: 'bad_query' | 'bad_body'): void {
  if (UNSTORABLE.test(name)) throw new ApiError(code, 'A name contains the character NUL, or half of a character.');
  if (typeof value === 'string' && UNSTORABLE.test(value))
    throw new ApiError(code, `${name}: must not contain the character NUL, or half of a character.`);
}

/** @throws ApiError for any parameter, and for a body that is too large, not JSON, or does not match the schema */
export async function parseBody<Schema extends z.core.$ZodType>(
  request: Request,
  schema: Schema,
  maxBytes = BODY_MAX_BYTES,
): Promise<z.infer<Schema>> {
  refuseQuery(request);
  if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? '')) {
    throw new ApiError('bad_body', 'The body must be sent as application/json.');
  }
  let json: unknown;
  try {
    json = jsonOf(await boundedBody(request.body ?? emptyBody(), maxBytes));
  } catch (error) {
    if (isApiError(error)) throw error;
    if (error instanceof BodyTooLarge)
      throw new ApiError('too_large', `The body is too large: at most ${maxBytes} bytes.`);
    throw new ApiError('bad_body', 'The body is not JSON.');
  }
  return parseWith(schema, json, 'bad_body');
}

function jsonOf(text: string): unknown {
  return JSON.parse(text, (name, value: unknown) => {
    requireUsable(name, 'bad_body');
    requireStorable(name, value, 'bad_body');
    return value;
  });
}

interface LinesLimits {
  readonly lines: number;
  /** How many bytes a line may have. */
  readonly bytes: number;
}

/**
 * JSON values, one a line: a long body is read piece by piece, and other requests have turns.
 * @throws ApiError as `parseBody`; it names the line
 */
export async function parseLines<Schema extends z.core.$ZodType>(
  request: Request,
  schema: Schema,
  limits: LinesLimits,
): Promise<readonly z.infer<Schema>[]> {
  refuseQuery(request);
  if (!/^application\/x-ndjson\b/i.test(request.headers.get('content-type') ?? ''))
    throw new ApiError('bad_body', 'The body must be sent as application/x-ndjson: a JSON value on each line.');
  const values: z.infer<Schema>[] = [];
  const yielding = new Yielding(request.signal);
  const take = (line: string) => {
    const at = `Line ${values.length + 1}`;
    if (values.length === limits.lines)
      throw new ApiError('too_large', `The body has more than ${limits.lines} lines.`);
    try {
      values.push(parseWith(schema, jsonOf(line), 'bad_body'));
    } catch (error) {
      throw new ApiError('bad_body', isApiError(error) ? `${at}: ${error.message}` : `${at} is not JSON.`);
    }
  };
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of request.body ?? emptyBody()) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      if (line.trim() !== '') take(line);
      if (yielding.isDue) await yielding.next();
    }
    if (rest.length > limits.bytes)
      throw new ApiError('too_large', `A line is too large: at most ${limits.bytes} bytes.`);
  }
  if (rest.trim() !== '') take(rest);
  return values;
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

function parseWith<Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
  code: 'bad_query' | 'bad_body',
): z.infer<Schema> {
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  const message = parsed.error.issues.map((issue) => issueText(issue, code)).join('; ');
  throw new ApiError(code, message);
}

/** The place in the body comes first, unless a message of ours names it. A query has one parameter of each name. */
function issueText({ code, path, message }: z.core.$ZodIssue, refusal: 'bad_query' | 'bad_body'): string {
  const place = path.join('.');
  const isNamed = code === 'custom' && (refusal === 'bad_query' || /^[\w.]+:? must |^[\w.]+: /.test(message));
  return place === '' || isNamed ? message : `${place}: ${message}`;
}

function isUnsafe(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** A request without a stated origin must not change anything. */
function requireSameOrigin(request: Request): void {
  const site = request.headers.get('sec-fetch-site');
  if (site !== null) {
    if (site === 'same-origin') return;
  } else {
    const origin = request.headers.get('origin');
    const host = request.headers.get('host');
    if (
      origin !== null &&
      (origin === runtime().config.publicOrigin || (URL.canParse(origin) && new URL(origin).host === host))
    )
      return;
  }
  throw new ApiError(
    'cross_site',
    'A request that changes something must come from this origin: send Origin or Sec-Fetch-Site.',
  );
}

function errorResponse(thrown: unknown, requestId: string): Response {
  const error = asRefusal(thrown);
  const expected = isApiError(error) ? error : undefined;
  if (!expected) runtime().log.error({ err: error, request_id: requestId }, 'a request failed');
  const code = expected?.code ?? 'internal';
  counts().refusals[code]++;
  const body: ErrorAnswer = {
    error: { code, message: expected?.message ?? 'Something went wrong on the server; its log has the details.' },
    request_id: requestId,
  };
  const headers = new Headers();
  if (expected?.retryAfterS !== undefined) headers.set('retry-after', String(expected.retryAfterS));
  return Response.json(body, { status: API_ERRORS[code], headers });
}

export function accountRoute(
  permission: Permission,
  run: (
    call: RouteRequest & {
      readonly viewer: SignedIn;
      readonly accounts: Accounts;
      readonly passkeys: Passkeys;
      readonly audit: AuditLog;
    },
  ) => Promise<Response>,
): Handler {
  return viewerRoute(permission, async (call) => {
    const { sessions, audit } = runtime();
    const { session } = call.viewer;
    if (!sessions || !session || session.source === 'token')
      throw new ApiError('not_found', 'No sign-in is needed here, so there are no people and no sessions.');
    const { accounts, passkeys } = sessions;
    const { source, ...names } = session;
    return run({ ...call, viewer: { ...call.viewer, session: { ...names, source } }, accounts, passkeys, audit });
  });
}

type ReaderHandler = (call: RouteRequest & { readonly reader: TokenGrant }) => Promise<Response>;

/** For machines with a token in `Authorization`. Sessions open nothing here. */
export function bearerRoute(permission: TokenPermission, run: ReaderHandler): Handler {
  return readerRoute(permission, ({ headers }) => bearerToken(headers.get('authorization')), run);
}

/** For programs that send no headers: the token is the first part of the path after `/api/feeds`. */
export function pathTokenRoute(permission: TokenPermission, run: ReaderHandler): Handler {
  return readerRoute(permission, (request) => pathSegment(request, 2), run);
}

function readerRoute(
  permission: TokenPermission,
  tokenIn: (request: Request) => string | undefined,
  run: ReaderHandler,
): Handler {
  return openRoute(async (call) => {
    const reader = await runtime().readTokens.open(tokenIn(call.request) ?? '', permission);
    call.logged.operator = `token:${reader.name}`;
    return inQueue(call.request, reader.id, (runPiece) => run({ ...call, reader, runPiece }));
  });
}

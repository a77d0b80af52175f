import 'server-only';
import { randomBytes, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { API_ERRORS, type ErrorAnswer } from '#lib/api/error-code.ts';
import { ApiError, isApiError } from './api-error.ts';
import { runtime } from './runtime.ts';
import { securityHeaders } from './security-headers.ts';
import { type Viewer, viewerOf } from './session-cookie.ts';
import { BodyTooLarge, boundedBody } from './upstream/bounded-body.ts';

export interface RouteRequest {
  readonly request: Request;
  readonly requestId: string;
}

type Handler = (request: Request) => Promise<Response>;

/** Limit for queries to our own API: longer than any that a page sends. */
const QUERY_MAX_CHARACTERS = 2048;
const BODY_MAX_BYTES = 4096;

/**
 * Wraps a handler that anyone may call: it gets a request id, and its exceptions become responses. The only mapping from errors
 * to statuses.
 */
export function openRoute(run: (call: RouteRequest) => Promise<Response>): Handler {
  return async (request) => {
    const requestId = randomUUID();
    try {
      if (isUnsafe(request.method)) requireSameOrigin(request);
      return withHeaders(await run({ request, requestId }), requestId);
    } catch (error) {
      return withHeaders(errorResponse(error, requestId), requestId);
    }
  };
}

/** Adds the headers of every API response. None of these is a page, but a browser could be made to open one as a page. */
function withHeaders(response: Response, requestId: string): Response {
  const nonce = randomBytes(16).toString('base64');
  const { headers } = response;
  for (const [name, value] of Object.entries(securityHeaders(runtime().config, nonce, false))) headers.set(name, value);
  headers.set('x-request-id', requestId);
  headers.set('cache-control', 'no-store');
  return response;
}

/** Handler for methods that a path does not have. */
export const refuseMethod = openRoute(async ({ request }) => {
  throw new ApiError(
    'method_not_allowed',
    `${request.method} is not supported here; see docs/api.md for the methods of each path.`,
  );
});

/** Wraps a handler that only signed-in operators may call. */
export function viewerRoute(run: (call: RouteRequest & { readonly viewer: Viewer }) => Promise<Response>): Handler {
  return openRoute(async (call) => {
    const { headers } = call.request;
    const viewer = await viewerOf(headers.get('cookie') ?? '', headers.get('host') ?? '');
    if (!viewer) throw new ApiError('not_signed_in', 'Sign in first: POST /api/session.');
    return run({ ...call, viewer });
  });
}

/** @throws ApiError for a parameter that is missing, unknown, repeated or malformed */
export function parseQuery<Schema extends z.core.$ZodType>(request: Request, schema: Schema): z.infer<Schema> {
  const { search, searchParams } = new URL(request.url);
  if (search.length > QUERY_MAX_CHARACTERS)
    throw new ApiError('bad_query', `The query is too long: at most ${QUERY_MAX_CHARACTERS} characters.`);
  const parameters: Record<string, string> = Object.create(null);
  for (const [name, value] of searchParams) {
    if (name in parameters)
      throw new ApiError('bad_query', `The parameter ${JSON.stringify(name)} is repeated: send it once.`);
    parameters[name] = value;
  }
  return parseWith(schema, { ...parameters }, 'bad_query');
}

/** @throws ApiError for a body that is too large, not JSON, or does not match the schema */
export async function parseBody<Schema extends z.core.$ZodType>(
  request: Request,
  schema: Schema,
): Promise<z.infer<Schema>> {
  if (!/^application\/json\b/i.test(request.headers.get('content-type') ?? '')) {
    throw new ApiError('bad_body', 'The body must be sent as application/json.');
  }
  let json: unknown;
  try {
    json = JSON.parse(await boundedBody(request.body ?? emptyBody(), BODY_MAX_BYTES));
  } catch (error) {
    if (error instanceof BodyTooLarge)
      throw new ApiError('too_large', `The body is too large: at most ${BODY_MAX_BYTES} bytes.`);
    throw new ApiError('bad_body', 'The body is not JSON.');
  }
  return parseWith(schema, json, 'bad_body');
}

async function* emptyBody(): AsyncGenerator<Uint8Array> {}

function parseWith<Schema extends z.core.$ZodType>(
  schema: Schema,
  value: unknown,
  code: 'bad_query' | 'bad_body',
): z.infer<Schema> {
  const parsed = z.safeParse(schema, value);
  if (parsed.success) return parsed.data;
  const message = parsed.error.issues
    .map((issue) =>
      issue.code === 'custom' || issue.path.length === 0 ? issue.message : `${issue.path.join('.')}: ${issue.message}`,
    )
    .join('; ');
  throw new ApiError(code, message);
}

function isUnsafe(method: string): boolean {
  return method !== 'GET' && method !== 'HEAD';
}

/** Browsers state where a request comes from. A request without that, or from another origin, must not change anything. */
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

function errorResponse(error: unknown, requestId: string): Response {
  const expected = isApiError(error) ? error : undefined;
  if (!expected) runtime().log.error({ err: error, request_id: requestId }, 'a request failed');
  const code = expected?.code ?? 'internal';
  const body: ErrorAnswer = {
    error: { code, message: expected?.message ?? 'Something went wrong on the server; its log has the details.' },
    request_id: requestId,
  };
  const headers = new Headers();
  if (expected?.retryAfterS !== undefined) headers.set('retry-after', String(expected.retryAfterS));
  return Response.json(body, { status: API_ERRORS[code], headers });
}

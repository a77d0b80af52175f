// The OpenAPI document: from the routes (api-routes.ts), what they answer (route-answers.ts) and their schemas.
import { API_ERRORS, errorAnswerSchema } from '#lib/api/error-code.ts';
import { HISTORY_LINES_TYPE } from '#lib/api/history-line.ts';
import { PERMISSIONS, type Permission } from '#lib/api/people/permission.ts';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';
import { type ApiRoute, apiRoutes } from './api-routes.ts';
import { type ApiSchemas, apiSchemas, commentedFields } from './api-schemas.ts';
import { documentText } from './document.ts';
import { type MediaContent, ROUTE_ANSWERS, type RouteAnswers, statusesOf } from './route-answers.ts';
import { type JsonSchema, parametersOf, type SchemaParts, schemaParts } from './schema-parts.ts';

type ReadRoute = Omit<ApiRoute, 'takesToken'>;

/** Outside /api, and for everyone. */
const HEALTH: readonly ReadRoute[] = ['/healthz', '/readyz', '/metrics'].map((path) => ({
  method: 'GET',
  path,
  permission: undefined,
  reads: {},
}));

/** The document as it is in docs/ and as the server answers it. */
export async function openApiText(routes: readonly ReadRoute[] = apiRoutes()): Promise<string> {
  return `${JSON.stringify(await openApiDocument(routes), null, 1)}\n`;
}

async function openApiDocument(routes: readonly ReadRoute[]) {
  const api = await apiSchemas();
  const operations = [...routes, ...HEALTH].map((route) => operationOf(route, api));
  const roots = operations.flatMap(({ id, sent, answers }) => [
    ...(sent ? [{ schema: sent.schema, io: 'input' as const, name: `${id}Body` }] : []),
    ...answers.flatMap(([, contents]) =>
      contents.flatMap(({ schema }) => (schema ? [{ schema, io: 'output' as const, name: `${id}Answer` }] : [])),
    ),
  ]);
  const parts = schemaParts(api, [...roots, { schema: errorAnswerSchema, io: 'output', name: 'ErrorAnswer' }]);
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) {
    const { method, template } = operation;
    paths[template] = { ...paths[template], [method]: written(operation, parts) };
  }
  return {
    openapi: '3.1.1',
    info: { title: 'Lookout', version: LOOKOUT_VERSION, description: ABOUT },
    servers: [{ url: '/', description: 'The Lookout that answers this document' }],
    paths,
    components: { schemas: parts.components, responses: { Error: errorResponse(parts) }, securitySchemes: SECURITY },
  };
}

/** @throws Error that says which row to add */
function answersOf({ method, path }: ReadRoute): RouteAnswers {
  const row = ROUTE_ANSWERS[`${method} ${path}`];
  if (row) return row;
  throw new Error(
    `${method} ${path} is not in the OpenAPI document. Add a row to ROUTE_ANSWERS of scripts/docs/route-answers.ts, such as '${method} ${path}': { does: 'Lists …', 200: theSchema }, and run npx vitest run scripts/docs -u.`,
  );
}

const ABOUT = [
  'Times are RFC 3339 in UTC; boxes are [west, south, east, north] in degrees. Times of positions are on the upstream’s clock: measure ages against `as_of`.',
  'Every answer under /api has an X-Request-ID. A request with a session that changes something needs Sec-Fetch-Site: same-origin, or an Origin that is this host.',
  'x-permission names the permission of a request and who may have it: a role and those above it (viewer, operator, admin), a token, a wall. Without sign-in, every request is an admin’s and needs no session.',
  'Later versions may add fields and codes: a client must ignore what it does not know.',
  'docs/api.md explains the requests.',
].join('\n\n');

const SECURITY = {
  session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-lookout',
    description: 'The cookie of POST /api/session, over HTTPS.',
  },
  plainSession: {
    type: 'apiKey',
    in: 'cookie',
    name: 'lookout',
    description: 'The same without HTTPS.',
  },
  token: { type: 'http', scheme: 'bearer', description: 'A token of POST /api/admin/read-tokens.' },
  metricsToken: { type: 'http', scheme: 'bearer', description: 'The token of METRICS_TOKEN_FILE.' },
} as const;

const rowOf = (permission: Permission): { role: string | null; token?: true; wall?: true } => PERMISSIONS[permission];

function securityOf({ path, permission }: ReadRoute) {
  if (path === '/metrics') return [{ metricsToken: [] }];
  // OpenAPI has no scheme for a token in the path.
  if (permission === undefined || path.includes('/TOKEN/')) return [];
  const { role, token } = rowOf(permission);
  const sessions = role === null ? [] : [{ session: [] }, { plainSession: [] }, {}];
  return [...sessions, ...(token ? [{ token: [] }] : [])];
}

function permissionText({ path, permission }: ReadRoute): string {
  if (path === '/metrics') return 'the token of METRICS_TOKEN_FILE';
  if (permission === undefined) return 'everyone';
  const { role, token, wall } = rowOf(permission);
  const callers = [role, token && (path.includes('/TOKEN/') ? 'token in the path' : 'token'), wall && 'wall'];
  return `${permission} (${callers.filter(Boolean).join(', ')})`;
}

/** `/api/views/ID`: `/api/views/{id}`. */
function templateOf(path: string): string {
  return path.replaceAll(/(?<=\/)[A-Z]+(?=\/|$)/g, (name) => `{${name.toLowerCase()}}`);
}

const PATH_PARTS: Readonly<Record<string, JsonSchema>> = {
  id: { type: 'string' },
  token: { type: 'string', description: 'A token of POST /api/admin/read-tokens' },
  file: { type: 'string', enum: ['aircraft.json', 'receiver.json'] },
  collection: { type: 'string', enum: ['zones', 'alarms', 'positions'] },
};

/** @throws Error for a route without a row, or a query or body that no schema of lib/api reads */
function operationOf(route: ReadRoute, api: ApiSchemas) {
  const { method, path, reads } = route;
  const row = answersOf(route);
  const template = templateOf(path);
  const body = reads.body ?? reads.lines;
  const [, tag = ''] = /^\/(?:api\/)?([\w-]+)/.exec(path) ?? [];
  return {
    id: idOf(route),
    method: method.toLowerCase(),
    template,
    tag,
    does: row.does,
    compact: row.compact,
    parameters: [
      ...[...template.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => pathParameter(name)),
      ...(reads.query === undefined ? [] : parametersOf(api, api.one(reads.query), row.otherwise)),
    ],
    sent:
      body === undefined ? undefined : { media: 'application/json', schema: api.one(body), ...(reads.lines && LINES) },
    isSentAlways: !OPTIONAL_BODIES.includes(`${method} ${path}`),
    answers: statusesOf(row),
    security: securityOf(route),
    permission: permissionText(route),
  };
}

const LINES = { media: HISTORY_LINES_TYPE, areLines: true };

function pathParameter(name: string) {
  return { name, in: 'path', required: true, schema: PATH_PARTS[name] ?? { type: 'string' } };
}

function written(operation: ReturnType<typeof operationOf>, parts: SchemaParts) {
  const { id, tag, does, compact, parameters, sent, isSentAlways, answers, security, permission } = operation;
  const media = (content: MediaContent, io: 'input' | 'output') => ({ [content.media]: mediaType(content, io, parts) });
  const responses = answers.map(([status, contents]) => [
    status,
    {
      description: STATUS_WORDS[status] ?? 'The answer',
      ...(contents.length > 0 && {
        content: Object.assign({}, ...contents.map((content) => media(content, 'output'))) as object,
      }),
    },
  ]);
  return {
    operationId: id,
    tags: [tag],
    summary: does,
    ...(compact && {
      description: `Accept: ${compact} selects the form of Lookout’s own pages, which may change with any release.`,
    }),
    parameters,
    ...(sent && { requestBody: { required: isSentAlways, content: media(sent, 'input') } }),
    responses: { ...Object.fromEntries(responses), default: { $ref: '#/components/responses/Error' } },
    security,
    'x-permission': permission,
  };
}

function mediaType({ media, schema, areLines }: MediaContent, io: 'input' | 'output', parts: SchemaParts) {
  if (!schema) return /^text\/|\+xml$/.test(media) ? { schema: { type: 'string' } } : {};
  if (!areLines) return { schema: parts.reference(schema, io) };
  // OpenAPI 3.1 describes the whole text only.
  return { schema: { type: 'string', description: 'JSON, one a line' }, 'x-line': parts.reference(schema, io) };
}

const OPTIONAL_BODIES = ['POST /api/admin/people/ID/password'];

function idOf({ method, path }: ReadRoute): string {
  const words = path
    .replace(/^\/api\//, '')
    .replaceAll(/(?<=\/)([A-Z]+)(?=\/|$)/g, 'by-$1')
    .toLowerCase();
  return method.toLowerCase() + words.replaceAll(/(?:^|[^a-z]+)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

const STATUS_WORDS: Readonly<Record<string, string>> = {
  200: 'The answer',
  201: 'Made',
  202: 'Begun',
  204: 'Done',
  206: 'A part of it',
  304: 'Unchanged',
  416: 'There is no such part',
  503: 'Not ready',
};

function errorResponse(parts: SchemaParts) {
  const comments = commentedFields(documentText('lib/api/error-code.ts')).find((literal) => literal.has('bad_request'));
  const codes = Object.entries(API_ERRORS).map(([code, status]) => `- ${status} \`${code}\`: ${comments?.get(code)}`);
  return {
    description: ['Refused. Statuses and codes:', ...codes].join('\n'),
    headers: { 'Retry-After': { description: 'In seconds, with some codes', schema: { type: 'integer' } } },
    content: { 'application/json': { schema: parts.reference(errorAnswerSchema, 'output') } },
  };
}

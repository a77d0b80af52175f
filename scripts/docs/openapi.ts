// The OpenAPI document: from the routes (api-routes.ts), what they answer (route-answers.ts) and their schemas.
import { STATUS_CODES } from 'node:http';
import { errorAnswerSchema } from '#lib/api/error-code.ts';
import { HISTORY_LINES_TYPE } from '#lib/api/history-line.ts';
import { COLLECTION_IDS } from '#lib/outputs/feature-documents.ts';
import { LOOKOUT_VERSION } from '#lib/version/lookout-version.ts';
import { type ApiRoute, apiRoutes, permissionRow } from './api-routes.ts';
import { type ApiSchemas, apiSchemas, errorList } from './api-schemas.ts';
import { type Contents, ROUTE_ANSWERS, statusesOf } from './route-answers.ts';
import { parametersOf, type SchemaParts, schemaParts } from './schema-parts.ts';

/** Outside /api, and for everyone. */
const HEALTH: readonly ApiRoute[] = ['/healthz', '/readyz', '/metrics'].map((path) => ({
  method: 'GET',
  path,
  permission: undefined,
  takesToken: false,
  reads: {},
}));

/** The document as it is in docs/ and as the server answers it. */
export async function openApiText(routes = apiRoutes()): Promise<string> {
  const api = await apiSchemas();
  const parts = schemaParts(api);
  const paths: Record<string, Record<string, object>> = {};
  for (const route of [...routes, ...HEALTH]) {
    const template = route.path.replaceAll(PATH_PART, (name) => `{${name.toLowerCase()}}`);
    paths[template] = { ...paths[template], [route.method.toLowerCase()]: operationOf(route, api, parts) };
  }
  const document = {
    openapi: '3.1.1',
    info: { title: 'Lookout', version: LOOKOUT_VERSION, description: ABOUT },
    servers: [{ url: '/', description: 'The Lookout that answers this document' }],
    paths,
    components: { responses: { Error: errorResponse(parts) }, securitySchemes: SECURITY },
  };
  return `${parts.complete(document)}\n`;
}

const ABOUT = [
  'Times are RFC 3339 in UTC; boxes are [west, south, east, north] in degrees. Times of positions are on the upstream’s clock: measure ages against `as_of`.',
  'Every answer under /api has an X-Request-ID. A request with a session that changes something needs Sec-Fetch-Site: same-origin, or an Origin that is this host.',
  'A session needs the named role or one above it (viewer, operator, admin), and a token the named permission. Without sign-in, every request is an admin’s and needs no session.',
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

function securityOf({ path, permission }: ApiRoute) {
  if (path === '/metrics') return [{ metricsToken: [] }];
  // OpenAPI has no scheme for a token in the path.
  if (permission === undefined || path.includes('/TOKEN/')) return [];
  const { role, token } = permissionRow(permission);
  const sessions = role === null ? [] : [{ session: [role] }, { plainSession: [role] }, {}];
  return [...sessions, ...(token ? [{ token: [permission] }] : [])];
}

/** `ID` in `/api/views/ID`. */
const PATH_PART = /(?<=\/)[A-Z]+(?=\/|$)/g;

const PATH_SCHEMAS: Readonly<Record<string, object>> = {
  TOKEN: { type: 'string', description: 'A token of POST /api/admin/read-tokens with the permission aircraft' },
  FILE: { type: 'string', enum: ['aircraft.json', 'receiver.json'] },
  COLLECTION: { type: 'string', enum: COLLECTION_IDS },
};

const OPTIONAL_BODIES = ['POST /api/admin/people/ID/password'];

/** @throws Error for a route without a row, or a query or body that no schema of lib/api reads */
function operationOf(route: ApiRoute, api: ApiSchemas, parts: SchemaParts) {
  const { method, path, reads } = route;
  const name = `${method} ${path}`;
  const row = ROUTE_ANSWERS[name];
  if (!row)
    throw new Error(
      `${name} is not in the OpenAPI document. Add a row to ROUTE_ANSWERS of scripts/docs/route-answers.ts, such as '${name}': { does: 'Lists …', 200: theSchema }, and run npx vitest run scripts/docs -u.`,
    );
  const body = reads.body ?? reads.lines;
  const sent = body !== undefined && { [reads.lines ? HISTORY_LINES_TYPE : 'application/json']: api.one(body) };
  const [, tag] = /^\/(?:api\/)?([\w-]+)/.exec(path) ?? [];
  const responses = statusesOf(row).map(([status, contents]) => [
    status,
    { description: STATUS_CODES[status], ...(contents && { content: contentOf(contents, 'output', parts) }) },
  ]);
  return {
    operationId: idOf(route),
    tags: [tag],
    summary: row.does,
    ...(row.compact && {
      description: `Accept: ${row.compact} selects the form of Lookout’s own pages, which may change with any release.`,
    }),
    parameters: [
      ...(path.match(PATH_PART) ?? []).map((part) => ({
        name: part.toLowerCase(),
        in: 'path',
        required: true,
        schema: PATH_SCHEMAS[part] ?? { type: 'string' },
      })),
      ...(reads.query === undefined ? [] : parametersOf(api, api.one(reads.query), row.otherwise)),
    ],
    ...(sent && {
      requestBody: { required: !OPTIONAL_BODIES.includes(name), content: contentOf(sent, 'input', parts) },
    }),
    responses: { ...Object.fromEntries(responses), default: { $ref: '#/components/responses/Error' } },
    security: securityOf(route),
  };
}

function contentOf(contents: Contents, io: 'input' | 'output', parts: SchemaParts): object {
  const entries = Object.entries(contents).map(([media, schema]) => {
    if (!schema) return [media, /^text\/|\+xml$/.test(media) ? { schema: { type: 'string' } } : {}];
    const reference = parts.reference(schema, io);
    if (media !== HISTORY_LINES_TYPE) return [media, { schema: reference }];
    // OpenAPI 3.1 describes the whole text only.
    return [media, { schema: { type: 'string', description: 'JSON, one a line' }, 'x-line': reference }];
  });
  return Object.fromEntries(entries);
}

function idOf({ method, path }: ApiRoute): string {
  const words = path
    .replace(/^\/api\//, '')
    .replaceAll(PATH_PART, 'by-$&')
    .toLowerCase();
  return method.toLowerCase() + words.replaceAll(/(?:^|[^a-z]+)([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function errorResponse(parts: SchemaParts) {
  return {
    description: `Refused. Statuses and codes:\n${errorList()}`,
    headers: { 'Retry-After': { description: 'In seconds, with some codes', schema: { type: 'integer' } } },
    content: contentOf({ 'application/json': errorAnswerSchema }, 'output', parts),
  };
}

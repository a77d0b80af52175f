import { join } from 'node:path';
import { Validator } from '@seriousme/openapi-schema-validator';
import { expect, test } from 'vitest';
import { apiRoutes } from './api-routes.ts';
import { documentText, root } from './document.ts';
import { openApiText } from './openapi.ts';
import { ROUTE_ANSWERS } from './route-answers.ts';
import { type JsonSchema, schemasWithin } from './schema-parts.ts';

const DOCUMENT = 'docs/openapi.json';

interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly parameters: readonly { readonly schema: JsonSchema }[];
  readonly requestBody?: { readonly content: Contents };
  readonly responses: Readonly<Record<string, { readonly content?: Contents }>>;
}
type Contents = Readonly<Record<string, { readonly schema?: JsonSchema }>>;

const document = () =>
  JSON.parse(documentText(DOCUMENT)) as {
    readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
    readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> };
  };
const operations = () => Object.values(document().paths).flatMap((path) => Object.values(path));

test(`${DOCUMENT} is that of the routes and their schemas`, async () => {
  await expect(await openApiText()).toMatchFileSnapshot(join(root, DOCUMENT));
});

test('the validator of the OpenAPI initiative’s schemas accepts it, and its references have targets', async () => {
  const validator = new Validator();
  expect(await validator.validate(document())).toEqual({ valid: true });
  expect(validator.version).toBe('3.1');
  const { schemas } = document().components;
  const targets = JSON.stringify(document()).matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g);
  expect(new Set([...targets].map(([, name]) => name))).toEqual(new Set(Object.keys(schemas)));
});

test('a route without a row fails, and the failure says what to add', async () => {
  const route = { method: 'GET', path: '/api/new/ID', permission: 'view', takesToken: false, reads: {} } as const;
  await expect(openApiText([...apiRoutes(), route])).rejects.toThrow(
    /GET \/api\/new\/ID is not in the OpenAPI document. Add a row to ROUTE_ANSWERS/,
  );
});

test('every row is that of a route', () => {
  const routes = [...apiRoutes(), ...['/healthz', '/readyz', '/metrics'].map((path) => ({ method: 'GET', path }))];
  expect(new Set(Object.keys(ROUTE_ANSWERS))).toEqual(new Set(routes.map(({ method, path }) => `${method} ${path}`)));
});

test('every operation has a name of its own, and every content in JSON a schema', () => {
  const ids = operations().map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const contents = operations().flatMap(({ requestBody, responses }) =>
    [requestBody, ...Object.values(responses)].flatMap((each) => Object.entries(each?.content ?? {})),
  );
  expect(contents.filter(([media, { schema }]) => media.includes('json') && !schema)).toEqual([]);
});

test('no schema accepts everything, except in documents and files of other formats', () => {
  const parts = Object.entries(document().components.schemas).flatMap(([name, schema]) =>
    schemasWithin(schema).map((part) => ({ name, part })),
  );
  const open = parts.filter(({ part }) => Object.keys(part).every((keyword) => keyword === 'description'));
  // A permit may be an operational intent of ASTM F3548.
  expect(new Set(open.map(({ name }) => name))).toEqual(new Set(['OpenApi', 'GeoJsonFile', 'NewPermits']));
});

test('an answer may have fields of later versions, and a body may not', () => {
  const { paths, components } = document();
  const isClosed = (schema: JsonSchema) => schemasWithin(schema).some((part) => part.additionalProperties === false);
  const namesIn = (text: string) => [...text.matchAll(/schemas\/(\w+)/g)].map(([, name = '']) => name);
  const reached = new Set(
    Object.values(paths)
      .flatMap((path) => Object.values(path))
      .flatMap(({ responses }) => namesIn(JSON.stringify(responses))),
  );
  for (const name of reached) for (const next of namesIn(JSON.stringify(components.schemas[name]))) reached.add(next);
  expect([...reached].filter((name) => isClosed(components.schemas[name] ?? {}))).toEqual([]);
  expect(['NewZone', 'ShapeInput', 'RuleInput'].filter((name) => !isClosed(components.schemas[name] ?? {}))).toEqual(
    [],
  );
});

test('fields have the comments of their own schema, also within each layer', () => {
  const { HistoryLine, LiveAnswer } = document().components.schemas;
  expect(LiveAnswer?.properties?.layers?.properties?.adsb?.properties?.state?.description).toBe(
    'See the table of states',
  );
  // Windows of other answers are of whole hours.
  expect(JSON.stringify(HistoryLine)).not.toContain('whole hour');
});

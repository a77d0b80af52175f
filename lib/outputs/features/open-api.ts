import { FEATURES_MAX } from '#lib/api/outputs/features-query.ts';
import { RECEIVED_ONLY } from '#lib/api/outputs/output-note.ts';
import { COLLECTION_IDS, GEOJSON_TYPE } from './collections.ts';

const parameter = (name: string, schema: object, place: 'query' | 'path' = 'query') => ({
  name,
  in: place,
  required: place === 'path',
  schema,
  ...(place === 'query' && { style: 'form', explode: false }),
});
const COLLECTION = parameter('collection', { type: 'string', enum: COLLECTION_IDS }, 'path');
const get = (summary: string, type = 'application/json', parameters: readonly object[] = []) => ({
  get: {
    summary,
    parameters,
    responses: { 200: { description: summary, content: { [type]: { schema: { type: 'object' } } } } },
  },
});

/** OpenAPI 3.0: clients read the largest `limit` from it. */
export function openApi(base: string) {
  return {
    openapi: '3.0.3',
    info: { title: 'Lookout: features', version: '1', description: RECEIVED_ONLY },
    servers: [{ url: base }],
    security: [{ token: [] }],
    components: { securitySchemes: { token: { type: 'http', scheme: 'bearer' } } },
    paths: {
      '/': get('Landing page'),
      '/conformance': get('Conformance classes'),
      '/collections': get('Collections'),
      '/collections/{collection}': get('A collection', undefined, [COLLECTION]),
      '/collections/{collection}/items': get('Features', GEOJSON_TYPE, [
        COLLECTION,
        parameter('limit', { type: 'integer', minimum: 1, maximum: FEATURES_MAX, default: 1000 }),
        parameter('bbox', { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 6 }),
        parameter('datetime', { type: 'string' }),
        parameter('next', { type: 'string' }),
      ]),
      '/collections/{collection}/items/{id}': get('A feature', GEOJSON_TYPE, [
        COLLECTION,
        parameter('id', { type: 'string' }, 'path'),
      ]),
    },
  };
}

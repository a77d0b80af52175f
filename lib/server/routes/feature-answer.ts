import 'server-only';
import { ApiError } from '#lib/api/error-code.ts';
import { featureDocumentQuerySchema, featuresQuerySchema } from '#lib/api/outputs/features-query.ts';
import { COLLECTION_IDS, type CollectionId, GEOJSON_TYPE, link } from '#lib/outputs/feature-documents.ts';
import { itemsAnswer } from '#lib/outputs/features.ts';
import { formatInstant } from '#lib/time/instant.ts';
import { FEATURE_COLLECTIONS } from '../outputs/feature-collections.ts';
import type { TokenGrant } from '../read-access/read-tokens.ts';
import { runtime } from '../runtime.ts';
import { Yielding } from '../work/yielding.ts';
import { ALONE, SHARED_ONLY } from '../zones/zone-rows.ts';
import { parseQuery, pathSegment, type RouteRequest } from './route.ts';

interface FeatureCall extends RouteRequest {
  readonly reader: TokenGrant;
}

/** A document about the features, such as the landing page. */
export function documentAnswer(call: FeatureCall, make: (base: string) => object, type = 'application/json'): Response {
  parseQuery(call.request, featureDocumentQuerySchema);
  return answer(make(baseOf(call.request)), type);
}

export async function itemsPageAnswer({ request, reader }: FeatureCall): Promise<Response> {
  const query = parseQuery(request, featuresQuerySchema);
  const id = collectionIn(request);
  const page = await FEATURE_COLLECTIONS[id].page(sources(), query, reader.area);
  const place = {
    address: `${baseOf(request)}/collections/${id}/items`,
    query: new URL(request.url).searchParams,
    at: formatInstant(runtime().clock.now()),
  };
  const body = await itemsBody(itemsAnswer(page, place), request.signal);
  return new Response(body, { headers: { 'content-type': GEOJSON_TYPE } });
}

/** Up to 20 MB. Other requests have turns. */
async function itemsBody({ features, ...rest }: ReturnType<typeof itemsAnswer>, signal: AbortSignal) {
  const yielding = new Yielding(signal);
  const pieces = [Buffer.from(`${JSON.stringify(rest).slice(0, -1)},"features":[`)];
  for (const [index, feature] of features.entries()) {
    if (yielding.isDue) await yielding.next();
    pieces.push(Buffer.from(`${index === 0 ? '' : ','}${JSON.stringify(feature)}`));
  }
  return Buffer.concat([...pieces, Buffer.from(']}')]);
}

export async function itemAnswer({ request, reader }: FeatureCall): Promise<Response> {
  parseQuery(request, featureDocumentQuerySchema);
  const collection = collectionIn(request);
  const id = pathSegment(request, 5);
  const feature = await FEATURE_COLLECTIONS[collection].item(sources(), id, reader.area);
  if (!feature) throw new ApiError('not_found', 'There is no such feature, or the token does not open it.');
  const address = `${baseOf(request)}/collections/${collection}`;
  const links = [link(`${address}/items/${encodeURIComponent(id)}`, 'self', GEOJSON_TYPE), link(address, 'collection')];
  return answer({ ...feature, links }, GEOJSON_TYPE);
}

function sources() {
  const { sessions, snapshots, clock, zones, watched, alarms } = runtime();
  return { caller: sessions ? SHARED_ONLY : ALONE, snapshots, clock, zones, watched, alarms };
}

/** @throws ApiError if there is none */
export function collectionIn(request: Request): CollectionId {
  const name = pathSegment(request, 3);
  const id = COLLECTION_IDS.find((each) => each === name);
  if (!id) throw new ApiError('not_found', `There is no such collection: there are ${COLLECTION_IDS.join(', ')}.`);
  return id;
}

/** As the client reaches it. The front has checked the host's form. */
function baseOf(request: Request): string {
  const { publicOrigin } = runtime().config;
  return `${publicOrigin ?? `http://${request.headers.get('host')}`}/api/features`;
}

function answer(body: object, type: string): Response {
  return Response.json(body, { headers: { 'content-type': type } });
}

import { mapQuerySchema } from '#lib/api/query.ts';
import { requestedBytes } from '#lib/server/maps/byte-range.ts';
import { parseQuery, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { streamResponse } from '#lib/server/routes/stream-response.ts';
import { runtime } from '#lib/server/runtime.ts';

const answer = queryRoute('read-state', async (call) => {
  const { request } = call;
  const { name } = parseQuery(request, mapQuerySchema);
  const { maps } = runtime();
  const file = await maps.find(name);
  const { size, version } = file;
  const headers = { 'content-type': 'application/vnd.pmtiles', 'accept-ranges': 'bytes', etag: version };

  // Never mix ranges of two versions.
  const condition = request.headers.get('if-range');
  const isSame = condition === null || condition === version;
  const bytes = requestedBytes(isSame ? request.headers.get('range') : null, size);
  if (bytes === 'none')
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } });
  const range = bytes === 'whole' ? { first: 0, last: size - 1 } : bytes;
  const described = {
    ...headers,
    'content-length': String(range.last - range.first + 1),
    ...(bytes !== 'whole' && { 'content-range': `bytes ${range.first}-${range.last}/${size}` }),
  };
  const status = bytes === 'whole' ? 200 : 206;
  if (request.method === 'HEAD') return new Response(null, { status, headers: described });
  const { body } = streamResponse(call, {}, () => maps.read(name, file, range));
  return new Response(body, { status, headers: described });
});

export {
  answer as GET,
  answer as HEAD,
  refuseMethod as DELETE,
  refuseMethod as PATCH,
  refuseMethod as POST,
  refuseMethod as PUT,
};

import { pathSegment, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { streamResponse } from '#lib/server/routes/stream-response.ts';
import { actorOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = viewerRoute('view', async (call) => {
  const { incidents, audit } = runtime();
  const id = pathSegment(call.request, 2);
  const { number, bytes, body } = await incidents.file(id);
  audit.record(actorOf(call), { kind: 'incident_file_read', incident: id, number });
  const headers = {
    'content-type': 'application/zip',
    'content-length': String(bytes),
    'content-disposition': `attachment; filename="incident-${number}.zip"`,
  };
  return streamResponse(call, headers, () => body);
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };

import { runtime } from '#lib/server/runtime.ts';
import { parseQuery, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { alarmExportQuerySchema } from '#lib/api/watching/alarms.ts';
import { streamResponse } from '#lib/server/routes/stream-response.ts';
import { zoneCaller } from '#lib/server/routes/zone-caller.ts';
import { alarmLog } from '#lib/server/zones/alarms/alarm-log.ts';
import { formatInstant } from '#lib/time/instant.ts';

export const GET = queryRoute('view', async (call) => {
  const { alarms, clock } = runtime();
  const query = parseQuery(call.request, alarmExportQuerySchema);
  const { mediaType, body } = await alarmLog(alarms, zoneCaller(call.viewer), query);
  const name = `lookout-alarms-${formatInstant(clock.now()).replaceAll(/[-:]|\.\d+/g, '')}.${query.format}`;
  return streamResponse(
    call,
    { 'content-type': mediaType, 'content-disposition': `attachment; filename="${name}"` },
    body,
  );
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };

import { alarmExportQuerySchema } from '#lib/api/watching/alarms.ts';
import { parseQuery, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { streamResponse } from '#lib/server/routes/stream-response.ts';
import { actorOf, zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';
import { alarmLog } from '#lib/server/zones/alarms/alarm-log.ts';
import { formatInstant } from '#lib/time/instant.ts';

export const GET = queryRoute('view', async (call) => {
  const { alarms, clock, audit } = runtime();
  const query = parseQuery(call.request, alarmExportQuerySchema);
  const { mediaType, body, written } = await alarmLog(alarms, zoneCaller(call.viewer), query);
  const name = `lookout-alarms-${formatInstant(clock.now()).replaceAll(/[-:]|\.\d+/g, '')}.${query.format}`;
  const { format, ...filters } = query;
  const texts = Object.entries(filters).flatMap(([key, value]) =>
    value === undefined ? [] : `${key}=${typeof value === 'string' ? value : formatInstant(value)}`,
  );
  async function* audited() {
    let outcome: 'complete' | 'cut' | 'left' | 'failed' = 'left';
    try {
      yield* body();
      outcome = written.isCut ? 'cut' : 'complete';
    } catch (error) {
      outcome = 'failed';
      throw error;
    } finally {
      const filter = texts.join(' ');
      audit.record(actorOf(call), { kind: 'alarms_exported', format, filter, alarms: written.alarms, outcome });
    }
  }
  return streamResponse(
    call,
    { 'content-type': mediaType, 'content-disposition': `attachment; filename="${name}"` },
    audited,
  );
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };

import { overviewHoursQuerySchema } from '#lib/api/overview.ts';
import { hoursCsv } from '#lib/server/overview/overview-csv.ts';
import { parseQuery, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { csvFile } from '#lib/server/routes/stream-response.ts';
import { zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = queryRoute('view', async (call) => {
  const { format, zone = '', bbox, ...asked } = parseQuery(call.request, overviewHoursQuerySchema);
  const { overview, zones } = runtime();
  const area = bbox ?? (await zones.visible(zoneCaller(call.viewer), zone));
  const answer = await overview.hours(asked, area, call.request.signal);
  return format === 'csv' ? csvFile(call, 'hours', answer, hoursCsv(answer)) : Response.json(answer);
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };

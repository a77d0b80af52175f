import { overviewHoursQuerySchema } from '#lib/api/overview.ts';
import { hoursCsv } from '#lib/server/overview/overview-csv.ts';
import { overviewArea } from '#lib/server/routes/overview-area.ts';
import { parseQuery, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { csvFile } from '#lib/server/routes/stream-response.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = queryRoute('view', async (call) => {
  const { format, start, end, ...area } = parseQuery(call.request, overviewHoursQuerySchema);
  const place = await overviewArea(area, call.viewer);
  const answer = await runtime().overview.hours({ start, end }, place, call.request.signal);
  return format === 'csv' ? csvFile(call, 'hours', answer, hoursCsv(answer)) : Response.json(answer);
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };

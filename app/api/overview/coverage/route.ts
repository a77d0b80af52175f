import { coverageQuerySchema } from '#lib/api/overview.ts';
import { coverageCsv } from '#lib/server/overview/overview-csv.ts';
import { parseQuery, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { csvFile } from '#lib/server/routes/stream-response.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = queryRoute('view', async (call) => {
  const { format, ...query } = parseQuery(call.request, coverageQuerySchema);
  const answer = await runtime().overview.coverage(query, call.request.signal);
  return format === 'csv'
    ? csvFile(call, `coverage-${answer.layer}`, answer, coverageCsv(answer))
    : Response.json(answer);
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };

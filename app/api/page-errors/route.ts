import { pageErrorSchema } from '#lib/api/page-error.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { runtime } from '#lib/server/runtime.ts';

const BODY_MAX_BYTES = 1024;

export const POST = viewerRoute('own-affairs', async ({ viewer, request, logged }) => {
  // The line of an error is the log's only one of its report.
  logged.isQuiet = true;
  const error = await parseBody(request, pageErrorSchema, BODY_MAX_BYTES);
  runtime().pageErrors.report(error, {
    session: viewer.session?.id,
    operator: viewer.operator.id,
    userAgent: request.headers.get('user-agent'),
  });
  return new Response(null, { status: 204 });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };

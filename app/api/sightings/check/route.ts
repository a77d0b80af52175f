import { SIGHTING_BODY_MAX_BYTES, sightingSchema } from '#lib/api/watching/sightings.ts';
import { checkSighting } from '#lib/server/incidents/check-sighting.ts';
import { deadline } from '#lib/server/machine.ts';
import { loadWithAudit } from '#lib/server/routes/load-with-audit.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, queryWithinRole } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

/** The limit is below common timeouts of proxies. */
const CHECK_MAX_MS = 50 * SECOND_MS;

export const POST = viewerRoute('watch', async (call) => {
  const body = await parseBody(call.request, sightingSchema, SIGHTING_BODY_MAX_BYTES);
  const left = call.request.signal;
  const { signal, end } = deadline(left, CHECK_MAX_MS);
  try {
    const check = await checkSighting(body, {
      load: (query, ended) => loadWithAudit(actorOf(call), queryWithinRole(query, call.viewer), ended),
      signal,
      left,
      now: runtime().clock.now(),
    });
    return Response.json(check);
  } finally {
    end();
  }
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };

import { tryZoneSchema } from '#lib/api/watching/zone-trial.ts';
import { deadline } from '#lib/server/machine.ts';
import { loadWithAudit } from '#lib/server/routes/load-with-audit.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, queryWithinRole } from '#lib/server/routes/viewer.ts';
import { tryZone } from '#lib/server/zones/trial/try-zone.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';
import { ZONE_BODY_MAX_BYTES } from '#lib/zones/zone-limits.ts';

/** The limit is below common timeouts of proxies. */
const TRIAL_MAX_MS = 50 * SECOND_MS;

export const POST = viewerRoute('watch', async (call) => {
  const body = await parseBody(call.request, tryZoneSchema, ZONE_BODY_MAX_BYTES);
  const left = call.request.signal;
  const { signal, end } = deadline(left, TRIAL_MAX_MS);
  try {
    const trial = await tryZone(body, {
      load: (query, ended) => loadWithAudit(actorOf(call), queryWithinRole(query, call.viewer), ended),
      signal,
      left,
    });
    return Response.json(trial);
  } finally {
    end();
  }
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };

import { tryZoneSchema } from '#lib/api/watching/zone-trial.ts';
import { loadWithAudit } from '#lib/server/routes/load-with-audit.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, queryWithinRole } from '#lib/server/routes/viewer.ts';
import { ZONE_BODY_MAX_BYTES } from '#lib/server/zones/accepted-content.ts';
import { tryZone } from '#lib/server/zones/trial/try-zone.ts';
import { SECOND_MS } from '#lib/time/time-units.ts';

/** The limit is below common timeouts of proxies. */
const TRIAL_MAX_MS = 50 * SECOND_MS;

export const POST = viewerRoute('watch', async (call) => {
  const body = await parseBody(call.request, tryZoneSchema, ZONE_BODY_MAX_BYTES);
  const stop = new AbortController();
  const timer = setTimeout(() => stop.abort(), TRIAL_MAX_MS);
  call.request.signal.addEventListener('abort', () => stop.abort(), { once: true });
  try {
    const trial = await tryZone(body, {
      load: (query, signal) => loadWithAudit(actorOf(call), queryWithinRole(query, call.viewer), signal),
      signal: stop.signal,
      left: call.request.signal,
    });
    return Response.json(trial);
  } finally {
    clearTimeout(timer);
  }
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as PUT };

import { type AuditAnswer, auditQuerySchema } from '#lib/api/people/audit-event.ts';
import { parseQuery, queryRoute, refuseMethod } from '#lib/server/routes/route.ts';
import { runtime } from '#lib/server/runtime.ts';
import { epochMs, localInstant, type UpstreamInstant } from '#lib/time/instant.ts';

const ENTRIES_MAX = 100;

export const GET = queryRoute('administer', async ({ request }) => {
  const { since, until, ...filter } = parseQuery(request, auditQuerySchema);
  const { audit } = runtime();
  const wanted = { ...filter, since: here(since), until: here(until), limit: ENTRIES_MAX + 1 };
  const entries = await audit.read(wanted, request.signal);
  const page = entries.slice(0, ENTRIES_MAX);
  const answer: AuditAnswer = {
    entries: page,
    next: entries.length > ENTRIES_MAX ? (page.at(-1)?.id ?? null) : null,
    as_of: new Date().toISOString(),
    kept_days: audit.keptDays,
    waiting: audit.waiting,
  };
  return Response.json(answer);
});

/** Converts a time that the caller sends to this machine's clock. */
function here(at: UpstreamInstant | undefined) {
  return at === undefined ? undefined : localInstant(epochMs(at));
}

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };

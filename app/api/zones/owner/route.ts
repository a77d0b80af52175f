import { ApiError } from '#lib/api/error-code.ts';
import { roleMay } from '#lib/api/people/permission.ts';
import { handOverSchema } from '#lib/api/watching/zones.ts';
import { accountRoute, parseBody, refuseMethod } from '#lib/server/routes/route.ts';
import { actorOf, zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const PUT = accountRoute('administer', async (call) => {
  const { person, zones: asked } = await parseBody(call.request, handOverSchema);
  const { people } = await call.accounts.people(call.viewer);
  const to = people.find(({ id }) => id === person);
  if (!to) throw new ApiError('not_found', 'There is no such person.');
  if (!roleMay(to.role, 'watch'))
    throw new ApiError('not_possible', `${to.name} is a ${to.role}, who cannot change zones: choose an operator.`);
  const zones = await runtime().zones.handOver(zoneCaller(call.viewer), asked, to);
  const first = zones[0]?.name ?? '';
  call.audit.record(actorOf(call), { kind: 'zones_handed_over', person, first, zones: zones.length });
  return new Response(null, { status: 204 });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH, refuseMethod as POST };

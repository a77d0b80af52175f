import { newPersonSchema } from '#lib/api/people/account.ts';
import { accountRoute, parseBody, refuseMethod } from '#lib/server/routes/route.ts';
import { actorOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = accountRoute('administer', async ({ accounts, viewer }) => {
  const { config, push } = runtime();
  const browsers = await push.browsers();
  return Response.json({
    ...(await accounts.people(viewer, browsers)),
    has_allowance: config.upstream.hasAllowance,
  });
});

export const POST = accountRoute('administer', async (call) => {
  const { name, role } = await parseBody(call.request, newPersonSchema);
  const initial = await call.accounts.add(name, role);
  call.audit.record(actorOf(call), { kind: 'person_added', person: name, role });
  return Response.json(initial, { status: 201 });
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as PUT };

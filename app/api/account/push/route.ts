import { newPushSchema, pushHereSchema } from '#lib/api/people/push.ts';
import { accountRoute, parseBody, refuseMethod } from '#lib/server/routes/route.ts';
import { actorOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';
import { browserName } from '#lib/server/sign-in/browser-name.ts';

export const POST = accountRoute('view', async (call) => {
  const { request, viewer, audit } = call;
  const body = await parseBody(request, newPushSchema);
  const browser = browserName(request.headers.get('user-agent'));
  const id = await runtime().push.add(viewer, body, browser);
  const to = new URL(body.endpoint).host;
  audit.record(actorOf(call), { kind: 'push_added', person: viewer.operator.id, browser, to });
  return Response.json({ id }, { status: 201 });
});

export const PUT = accountRoute('view', async ({ request, viewer, logged }) => {
  logged.isQuiet = true;
  const { endpoint } = await parseBody(request, pushHereSchema);
  return Response.json({ id: await runtime().push.bind(viewer, endpoint) });
});

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH };

import { newPushSchema, pushHereSchema } from '#lib/api/people/push.ts';
import { accountRoute, parseBody, refuseMethod } from '#lib/server/routes/route.ts';
import { actorOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';
import { browserName } from '#lib/server/sign-in/browser-name.ts';

type Call = Parameters<Parameters<typeof accountRoute>[1]>[0];

export const POST = accountRoute('view', async (call) => {
  const body = await parseBody(call.request, newPushSchema);
  const browser = browserName(call.request.headers.get('user-agent'));
  const id = await runtime().push.add(call.viewer.session.key, body, browser);
  recordAdded(call, body.endpoint);
  return Response.json({ id }, { status: 201 });
});

export const PUT = accountRoute('view', async (call) => {
  call.logged.isQuiet = true;
  const here = await parseBody(call.request, pushHereSchema);
  const id = await runtime().push.bind(call.viewer.session.key, here);
  if (id !== null && here.renewed) recordAdded(call, here.renewed.endpoint);
  return Response.json({ id });
});

/** The host of the push service is no secret, unlike the rest of the endpoint. */
function recordAdded(call: Call, endpoint: string): void {
  const browser = browserName(call.request.headers.get('user-agent'));
  const event = { kind: 'push_added', person: call.viewer.operator.id, browser, to: new URL(endpoint).host } as const;
  call.audit.record(actorOf(call), event);
}

export { refuseMethod as DELETE, refuseMethod as GET, refuseMethod as PATCH };

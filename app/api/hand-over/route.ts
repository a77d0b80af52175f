import { handOverQuerySchema, newHandOverNoteSchema } from '#lib/api/watching/hand-over.ts';
import {
  optionalWindow,
  parseBody,
  parseQuery,
  queryRoute,
  refuseMethod,
  viewerRoute,
} from '#lib/server/routes/route.ts';
import { actorOf, operatorOf, zoneCaller } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

export const GET = queryRoute('view', async ({ viewer, request }) => {
  const window = optionalWindow(parseQuery(request, handOverQuerySchema));
  return Response.json(await runtime().handOver.list(operatorOf(viewer), window));
});

export const POST = viewerRoute('watch', async (call) => {
  const { handOver, audit } = runtime();
  const { note } = await parseBody(call.request, newHandOverNoteSchema);
  const id = await handOver.add(zoneCaller(call.viewer), note);
  audit.record(actorOf(call), { kind: 'handed_over', note });
  return Response.json({ id }, { status: 201 });
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as PUT };

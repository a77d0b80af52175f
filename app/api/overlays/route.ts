import { newOverlaySchema, OVERLAY_PACKED_MAX_LENGTH } from '#lib/api/overlay.ts';
import { parseBody, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf, operatorOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

/** The body has the content, and a name of 80 characters, escaped. */
const BODY_MAX_BYTES = OVERLAY_PACKED_MAX_LENGTH + 4096;

export const GET = viewerRoute('read-state', async ({ viewer }) =>
  Response.json(await runtime().overlays.list(operatorOf(viewer))),
);

export const POST = viewerRoute('own-affairs', async (call) => {
  const { overlays, audit } = runtime();
  const overlay = await overlays.add(
    operatorOf(call.viewer),
    await parseBody(call.request, newOverlaySchema, BODY_MAX_BYTES),
    call.viewer.session && call.viewer.operator.name,
  );
  audit.record(actorOf(call), { kind: 'overlay_added', overlay: overlay.name, shared: overlay.shared });
  return Response.json(overlay, { status: 201 });
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as PUT };

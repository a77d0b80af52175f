import { ApiError } from '#lib/api/error-code.ts';
import { refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { runtime } from '#lib/server/runtime.ts';

/** Open without sign-in too, where every viewer runs this Lookout. */
export const GET = viewerRoute('administer', async () => {
  const { receivers } = runtime();
  if (!receivers) throw new ApiError('not_found', 'Lookout listens to no receivers of its own: see docs/receivers.md.');
  return Response.json(await receivers.read());
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };

import type { Permission } from '#lib/api/people/permission.ts';
import { isDoctorProof } from '#lib/server/doctor/doctor.ts';
import { openRoute, type RouteRequest, refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { runtime } from '#lib/server/runtime.ts';

/** Open without sign-in too, where every viewer runs this Lookout. */
export const GET = provenRoute('administer', async ({ request }) =>
  Response.json(await runtime().doctor.read(request.headers)),
);

/** Open to a command with a proof, too. */
function provenRoute(permission: Permission, run: (call: RouteRequest) => Promise<Response>) {
  const [forCommand, forViewer] = [openRoute(run), viewerRoute(permission, run)];
  return (request: Request) => {
    const secret = runtime().sessions?.secret;
    const isProven = secret !== undefined && isDoctorProof(request.headers.get('authorization'), secret, Date.now());
    return (isProven ? forCommand : forViewer)(request);
  };
}

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as POST, refuseMethod as PUT };

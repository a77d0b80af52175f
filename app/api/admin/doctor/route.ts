import { ApiError } from '#lib/api/error-code.ts';
import { refuseMethod, viewerRoute } from '#lib/server/routes/route.ts';
import { actorOf } from '#lib/server/routes/viewer.ts';
import { runtime } from '#lib/server/runtime.ts';

/** Open without sign-in too, where every viewer runs this Lookout. */
export const GET = viewerRoute('administer', async ({ request }) =>
  Response.json(await runtime().doctor.read(request.headers)),
);

/** Sends a request to the upstream first, which counts. */
export const POST = viewerRoute('administer', async (call) => {
  const { doctor, audit } = runtime();
  const waitMs = await doctor.ask();
  if (waitMs > 0) {
    const seconds = Math.ceil(waitMs / 1000);
    throw new ApiError(
      'too_many_attempts',
      `The last request was sent too recently; try again in ${seconds} s.`,
      seconds,
    );
  }
  audit.record(actorOf(call), { kind: 'allowance_checked' });
  return Response.json(await doctor.read(call.request.headers));
});

export { refuseMethod as DELETE, refuseMethod as PATCH, refuseMethod as PUT };
